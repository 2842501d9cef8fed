//go:build linux

package bind

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// quick of the libraries have small headers; SEAM_BIND_HEADERS=all calls the others, too.
const quick = 11

// calls are ten functions of each library, as a program calls them. The headers are debian's.
var calls = []struct{ lib, name, trim, match, body string }{
	{"liblz4.so.1", "lz4", "LZ4_", "^LZ4_(version|compress|decompress_safe|sizeof|createStream$|freeStream$)", `
	data := []byte(strings.Repeat("some text, ", 100))
	check("VersionNumber", lz4.VersionNumber() >= 10900, true)
	check("VersionString", dl.GoString(lz4.VersionString())[:2], "1.")
	packed := make([]byte, lz4.CompressBound(int32(len(data))))
	n := lz4.CompressDefault(&data[0], &packed[0], int32(len(data)), int32(len(packed)))
	check("CompressDefault", n > 0 && n < 100, true)
	back := make([]byte, len(data))
	check("DecompressSafe", lz4.DecompressSafe(&packed[0], &back[0], n, int32(len(back))), int32(len(data)))
	check("text", string(back), string(data))
	check("DecompressSafe", lz4.DecompressSafe(&packed[0], &back[0], n, 10) < 0, true)
	check("DecompressSafePartial", lz4.DecompressSafePartial(&packed[0], &back[0], n, 11, 11), int32(11))
	check("SizeofState", lz4.SizeofState() > 1000, true)
	s := lz4.CreateStream()
	check("CompressFastContinue", lz4.CompressFastContinue(s, &data[0], &packed[0], int32(len(data)), int32(len(packed)), 1) > 0, true)
	check("FreeStream", lz4.FreeStream(s), int32(0))
	check("CompressFast", lz4.CompressFast(&data[0], &packed[0], int32(len(data)), 5, 1), int32(0))`},
	{"liblmdb.so.0", "lmdb", "mdb_", "^mdb_", `
	dir, err := os.MkdirTemp("", "lmdb")
	check("folder", err, nil)
	defer os.RemoveAll(dir)
	var env *lmdb.Env
	check("EnvCreate", lmdb.EnvCreate(&env), int32(0))
	check("EnvSetMapsize", lmdb.EnvSetMapsize(env, 1<<20), int32(0))
	check("EnvOpen", lmdb.EnvOpen(env, dl.CString(dir), 0, 0o600), int32(0))
	var txn *lmdb.Txn
	check("TxnBegin", lmdb.TxnBegin(env, nil, 0, &txn), int32(0))
	var dbi uint32
	check("DbiOpen", lmdb.DbiOpen(txn, nil, 0, &dbi), int32(0))
	var pin runtime.Pinner
	defer pin.Unpin()
	text := []byte("some")
	pin.Pin(&text[0])
	key := lmdb.Val{Mv_size: 4, Mv_data: unsafe.Pointer(&text[0])}
	value := key
	check("Put", lmdb.Put(txn, dbi, &key, &value, 0), int32(0))
	check("Get", lmdb.Get(txn, dbi, &key, &value), int32(0))
	check("value", string(unsafe.Slice((*byte)(value.Mv_data), value.Mv_size)), "some")
	check("Del", lmdb.Del(txn, dbi, &key, nil), int32(0))
	check("Get", lmdb.Get(txn, dbi, &key, &value), int32(lmdb.MDB_NOTFOUND))
	check("Strerror", strings.HasPrefix(dl.GoString(lmdb.Strerror(lmdb.MDB_NOTFOUND)), "MDB_NOTFOUND"), true)
	check("TxnCommit", lmdb.TxnCommit(txn), int32(0))
	lmdb.EnvClose(env)`},
	{"libcurl.so.4", "curl", "curl_", "^curl_(version$|global_(init|cleanup)|easy_(init|cleanup|escape|unescape|strerror)|free|getdate|url|slist)", `
	check("Version", strings.HasPrefix(dl.GoString(curl.Version()), "libcurl/"), true)
	check("GlobalInit", curl.GlobalInit(curl.CURL_GLOBAL_DEFAULT), curl.CURLE_OK)
	c := curl.EasyInit()
	text := curl.EasyEscape(c, dl.CString("a b&"), 0)
	check("EasyEscape", dl.GoString(text), "a%20b%26")
	var n int32
	back := curl.EasyUnescape(c, text, 0, &n)
	check("EasyUnescape", string(unsafe.Slice(back, n)), "a b&")
	curl.Free(unsafe.Pointer(text))
	curl.Free(unsafe.Pointer(back))
	check("EasyStrerror", dl.GoString(curl.EasyStrerror(curl.CURLE_COULDNT_CONNECT)), "Couldn't connect to server")
	check("Getdate", curl.Getdate(dl.CString("Thu, 01 Jan 1970 00:01:00 GMT"), nil), int64(60))
	u := curl.Url()
	check("UrlSet", curl.UrlSet(u, curl.CURLUPART_URL, dl.CString("http://some.where:81/a"), 0), curl.CURLUE_OK)
	var part *byte
	check("UrlGet", curl.UrlGet(u, curl.CURLUPART_PORT, &part, 0), curl.CURLUE_OK)
	check("port", dl.GoString(part), "81")
	curl.Free(unsafe.Pointer(part))
	curl.UrlCleanup(u)
	list := curl.SlistAppend(nil, dl.CString("one"))
	check("SlistAppend", dl.GoString(list.Data), "one")
	curl.SlistFreeAll(list)
	curl.EasyCleanup(c)`},
	{"libleveldb.so.1d", "leveldb", "leveldb_", "^leveldb_", levels("leveldb")},
	{"librocksdb.so.7.8", "rocksdb", "rocksdb_", "^rocksdb_(open$|put$|get$|delete$|close$|free$|(read|write)?options_(create|destroy|set_create_if_missing)$)", levels("rocksdb")},
	{"libsodium.so.23", "sodium", "sodium_", "^sodium_|^crypto_(generichash|secretbox)|^randombytes", `
	check("Init", sodium.Init() >= 0, true)
	check("VersionString", dl.GoString(sodium.VersionString())[:2], "1.")
	text, out := []byte("some text"), make([]byte, 64)
	check("CryptoGenerichash", sodium.CryptoGenerichash(&out[0], 32, &text[0], uint64(len(text)), nil, 0), int32(0))
	hex := make([]byte, 65)
	check("Bin2hex", dl.GoString(sodium.Bin2hex(&hex[0], 65, &text[0], 4)), "736f6d65")
	var n uint64
	check("Hex2bin", sodium.Hex2bin(&out[0], 64, &hex[0], 8, nil, &n, nil), int32(0))
	check("bytes", string(out[:n]), "some")
	check("Memcmp", sodium.Memcmp(unsafe.Pointer(&out[0]), unsafe.Pointer(&text[0]), 4), int32(0))
	check("IsZero", sodium.IsZero(&out[0], 4), int32(0))
	sodium.Increment(&out[0], 4)
	check("Increment", out[0], byte('t'))
	key, nonce, box := make([]byte, sodium.CryptoSecretboxKeybytes()), make([]byte, sodium.CryptoSecretboxNoncebytes()), make([]byte, 64)
	sodium.CryptoSecretboxKeygen(&key[0])
	check("CryptoSecretboxEasy", sodium.CryptoSecretboxEasy(&box[0], &text[0], 9, &nonce[0], &key[0]), int32(0))
	check("CryptoSecretboxOpenEasy", sodium.CryptoSecretboxOpenEasy(&out[0], &box[0], 25, &nonce[0], &key[0]), int32(0))
	check("text", string(out[:9]), "some text")
	box[0]++
	check("CryptoSecretboxOpenEasy", sodium.CryptoSecretboxOpenEasy(&out[0], &box[0], 25, &nonce[0], &key[0]), int32(-1))`},
	{"libpcap.so.0.8", "pcap", "pcap_", "^pcap_", `
	check("LibVersion", strings.HasPrefix(dl.GoString(pcap.LibVersion()), "libpcap"), true)
	p := pcap.OpenDead(pcap.DLT_EN10MB, 1000)
	check("Datalink", pcap.Datalink(p), int32(pcap.DLT_EN10MB))
	check("Snapshot", pcap.Snapshot(p), int32(1000))
	check("DatalinkValToName", dl.GoString(pcap.DatalinkValToName(pcap.DLT_EN10MB)), "EN10MB")
	check("DatalinkNameToVal", pcap.DatalinkNameToVal(dl.CString("EN10MB")), int32(pcap.DLT_EN10MB))
	var f pcap.BpfProgram
	check("Compile", pcap.Compile(p, &f, dl.CString("arp"), 1, 0), int32(0))
	packet := make([]byte, 60)
	packet[12], packet[13] = 8, 6
	var h pcap.Pkthdr
	h.Caplen, h.Len = 60, 60
	check("OfflineFilter", pcap.OfflineFilter(&f, &h, &packet[0]) != 0, true)
	packet[13] = 0
	check("OfflineFilter", pcap.OfflineFilter(&f, &h, &packet[0]), int32(0))
	pcap.Freecode(&f)
	check("Compile", pcap.Compile(p, &f, dl.CString("nonsense("), 1, 0), int32(-1))
	check("Geterr", dl.GoString(pcap.Geterr(p)) != "", true)
	check("Statustostr", dl.GoString(pcap.Statustostr(pcap.PCAP_ERROR_NO_SUCH_DEVICE)), "No such device exists")
	pcap.Close(p)`},
	{"libuv.so.1", "uv", "uv_", "^uv_(version|loop_(size|init|alive|close)|run|now|hrtime|strerror|err_name|handle_size|update_time|backend_fd)", `
	check("Version", uv.Version() >= 1<<16, true)
	check("VersionString", dl.GoString(uv.VersionString())[:2], "1.")
	memory := make([]uint64, uv.LoopSize()/8+1)
	loop := (*uv.LoopS)(unsafe.Pointer(&memory[0]))
	check("size", uint64(unsafe.Sizeof(*loop)), uv.LoopSize())
	var pin runtime.Pinner
	pin.Pin(loop)
	defer pin.Unpin()
	check("LoopInit", uv.LoopInit(loop), int32(0))
	check("LoopAlive", uv.LoopAlive(loop), int32(0))
	check("Run", uv.Run(loop, uv.UV_RUN_DEFAULT), int32(0))
	uv.UpdateTime(loop)
	check("Now", uv.Now(loop) > 0, true)
	check("BackendFd", uv.BackendFd(loop) >= 0, true)
	check("Hrtime", uv.Hrtime() > 0, true)
	check("ErrName", dl.GoString(uv.ErrName(int32(uv.UV_EBADF))), "EBADF")
	check("Strerror", dl.GoString(uv.Strerror(int32(uv.UV_EBADF))), "bad file descriptor")
	check("LoopClose", uv.LoopClose(loop), int32(0))`},
	{"libproj.so.25", "proj", "proj_", "^proj_(context_(create|destroy|errno)$|create$|destroy$|coord$|trans$|to|errno|xy_dist|angular_input|info)", `
	c := proj.ContextCreate()
	p := proj.Create(c, dl.CString("+proj=utm +zone=32 +ellps=GRS80"))
	at := proj.Coord(proj.Torad(12), proj.Torad(55), 0, 0)
	to := proj.Trans(p, proj.PJ_FWD, at)
	xy := *(*[2]float64)(unsafe.Pointer(&to))
	check("Trans", fmt.Sprintf("%.2f %.2f", xy[0], xy[1]), "691875.63 6098907.83")
	back := proj.Trans(p, proj.PJ_INV, to)
	check("Todeg", fmt.Sprintf("%.6f", proj.Todeg(*(*float64)(unsafe.Pointer(&back)))), "12.000000")
	check("XyDist", proj.XyDist(proj.Coord(0, 0, 0, 0), proj.Coord(3, 4, 0, 0)), 5.0)
	check("Errno", proj.Errno(p), int32(0))
	check("AngularInput", proj.AngularInput(p, proj.PJ_FWD), int32(1))
	check("Create", proj.Create(c, dl.CString("+proj=nobody")) == nil, true)
	check("ContextErrno", proj.ContextErrno(c) != 0, true)
	proj.Destroy(p)
	proj.ContextDestroy(c)`},
	{"libarchive.so.13", "archive", "archive_", "^archive_(write_(new|set_format_ustar|open_memory|header|data|close|free)$|read_(new|free|support_format_tar|open_memory|next_header|data)$|entry_(new|free|set_pathname|set_size|set_filetype|set_perm|pathname|size)$|error_string|version)", `
	check("VersionNumber", archive.VersionNumber() >= 3000000, true)
	w := archive.WriteNew()
	check("WriteSetFormatUstar", archive.WriteSetFormatUstar(w), int32(archive.ARCHIVE_OK))
	memory := make([]byte, 1<<16)
	used := new(uint64)
	var pin runtime.Pinner
	pin.Pin(&memory[0])
	pin.Pin(used)
	defer pin.Unpin()
	check("WriteOpenMemory", archive.WriteOpenMemory(w, unsafe.Pointer(&memory[0]), uint64(len(memory)), used), int32(0))
	e := archive.EntryNew()
	archive.EntrySetPathname(e, dl.CString("a/b"))
	archive.EntrySetSize(e, 4)
	archive.EntrySetFiletype(e, 0o100000)
	check("WriteHeader", archive.WriteHeader(w, e), int32(0))
	text := []byte("some")
	check("WriteData", archive.WriteData(w, unsafe.Pointer(&text[0]), 4), int64(4))
	check("WriteClose", archive.WriteClose(w), int32(0))
	check("WriteFree", archive.WriteFree(w), int32(0))
	archive.EntryFree(e)
	r := archive.ReadNew()
	check("ReadSupportFormatTar", archive.ReadSupportFormatTar(r), int32(0))
	check("ReadOpenMemory", archive.ReadOpenMemory(r, unsafe.Pointer(&memory[0]), *used), int32(0))
	check("ReadNextHeader", archive.ReadNextHeader(r, &e), int32(0))
	check("EntryPathname", dl.GoString(archive.EntryPathname(e)), "a/b")
	check("EntrySize", archive.EntrySize(e), int64(4))
	back := make([]byte, 10)
	check("ReadData", archive.ReadData(r, unsafe.Pointer(&back[0]), 10), int64(4))
	check("ReadNextHeader", archive.ReadNextHeader(r, &e), int32(archive.ARCHIVE_EOF))
	check("ReadFree", archive.ReadFree(r), int32(0))`},
	{"libEGL.so.1", "egl", "egl", "^egl", `
	check("GetError", egl.GetError(), int32(egl.EGL_SUCCESS))
	check("Terminate", egl.Terminate(nil), uint32(0))
	check("GetError", egl.GetError(), int32(egl.EGL_BAD_DISPLAY))
	var major, minor int32
	check("Initialize", egl.Initialize(nil, &major, &minor), uint32(0))
	check("GetCurrentContext", egl.GetCurrentContext() == nil, true)
	check("GetCurrentDisplay", egl.GetCurrentDisplay() == nil, true)
	check("GetCurrentSurface", egl.GetCurrentSurface(egl.EGL_DRAW) == nil, true)
	check("QueryAPI", egl.QueryAPI(), uint32(egl.EGL_OPENGL_ES_API))
	check("DestroyContext", egl.DestroyContext(nil, nil), uint32(0))
	check("SwapBuffers", egl.SwapBuffers(nil, nil), uint32(0))
	check("BindAPI", egl.BindAPI(7), uint32(0))
	check("ReleaseThread", egl.ReleaseThread(), uint32(1))`},
	{"libxml2.so.2", "xml", "xml", "^xml(ParseMemory|DocGetRootElement|GetProp|NewDoc|NewNode|NewDocNode|DocSetRootElement|NodeGetContent|NodeSetContent|XPathNewContext|XPathEvalExpression|XPathFree(Context|Object)|FreeDoc|Strlen|StrEqual|ChildElementCount|NewProp)$", `
	text := []byte("<a k='v'><b>some</b><b>text</b></a>")
	doc := xml.ParseMemory(&text[0], int32(len(text)))
	root := xml.DocGetRootElement(doc)
	check("name", dl.GoString(root.Name), "a")
	check("ChildElementCount", xml.ChildElementCount(root), uint64(2))
	value := xml.GetProp(root, dl.CString("k"))
	check("GetProp", dl.GoString(value), "v")
	check("Strlen", xml.Strlen(value), int32(1))
	check("StrEqual", xml.StrEqual(value, root.Name), int32(0))
	check("NewProp", xml.NewProp(root, dl.CString("l"), dl.CString("w")) != nil, true)
	c := xml.XPathNewContext(doc)
	found := xml.XPathEvalExpression(dl.CString("//b"), c)
	check("XPathEvalExpression", found.Nodesetval.NodeNr, int32(2))
	xml.XPathFreeObject(found)
	xml.XPathFreeContext(c)
	xml.NodeSetContent(root, dl.CString("new"))
	check("NodeGetContent", dl.GoString(xml.NodeGetContent(root)), "new")
	xml.FreeDoc(doc)`},
	{"libcrypto.so.3", "crypto", "", "^EVP_(MD_CTX_(new|free)|sha256|Digest(Init_ex|Update|Final_ex)|MD_get_size)$|^BN_(new|free|set_word|get_word|mul|CTX_new|CTX_free|cmp|add|num_bits)$", `
	c := crypto.EVPMDCTXNew()
	check("EVPDigestInitEx", crypto.EVPDigestInitEx(c, crypto.EVPSha256(), nil), int32(1))
	text, sum := []byte("abc"), make([]byte, 32)
	check("EVPDigestUpdate", crypto.EVPDigestUpdate(c, unsafe.Pointer(&text[0]), 3), int32(1))
	var n uint32
	check("EVPDigestFinalEx", crypto.EVPDigestFinalEx(c, &sum[0], &n), int32(1))
	check("sum", fmt.Sprintf("%x", sum[:4]), "ba7816bf")
	check("EVPMDGetSize", crypto.EVPMDGetSize(crypto.EVPSha256()), int32(n))
	crypto.EVPMDCTXFree(c)
	a, b, x := crypto.BNNew(), crypto.BNNew(), crypto.BNCTXNew()
	check("BNSetWord", crypto.BNSetWord(a, 6), int32(1))
	check("BNMul", crypto.BNMul(b, a, a, x), int32(1))
	check("BNGetWord", crypto.BNGetWord(b), uint64(36))
	check("BNCmp", crypto.BNCmp(a, b), int32(-1))
	check("BNNumBits", crypto.BNNumBits(b), int32(6))
	check("BNAdd", crypto.BNAdd(a, a, b), int32(1))
	crypto.BNCTXFree(x)
	crypto.BNFree(a)
	crypto.BNFree(b)`},
	{"libgit2.so.1.5", "git", "git_", "^git_(libgit2_(init|shutdown|version)|oid_(fromstr|cmp|tostr_s|iszero)|repository_(init|free|path|is_bare|is_empty|head_unborn)|error_last)$", `
	dir, err := os.MkdirTemp("", "git")
	check("folder", err, nil)
	defer os.RemoveAll(dir)
	check("Libgit2Init", git.Libgit2Init(), int32(1))
	var major, minor, rev int32
	git.Libgit2Version(&major, &minor, &rev)
	check("Libgit2Version", major, int32(git.LIBGIT2_VER_MAJOR))
	var a, b git.Oid
	check("OidFromstr", git.OidFromstr(&a, dl.CString("0123456789abcdef0123456789abcdef01234567")), int32(0))
	check("OidTostrS", dl.GoString(git.OidTostrS(&a))[:6], "012345")
	check("OidCmp", git.OidCmp(&a, &b) > 0, true)
	check("OidIszero", git.OidIszero(&b), int32(1))
	check("OidFromstr", git.OidFromstr(&a, dl.CString("zz")) < 0, true)
	check("ErrorLast", dl.GoString(git.ErrorLast().Message) != "", true)
	var r *git.Repository
	check("RepositoryInit", git.RepositoryInit(&r, dl.CString(dir), 1), int32(0))
	check("RepositoryIsBare", git.RepositoryIsBare(r), int32(1))
	check("RepositoryIsEmpty", git.RepositoryIsEmpty(r), int32(1))
	check("RepositoryPath", dl.GoString(git.RepositoryPath(r)) != "", true)
	git.RepositoryFree(r)
	check("Libgit2Shutdown", git.Libgit2Shutdown(), int32(0))`},
	{"libavcodec.so.59", "avcodec", "av", "^av(codec_|_packet_|_codec_)", `
	check("CodecVersion", avcodec.CodecVersion()>>16, uint32(avcodec.LIBAVCODEC_VERSION_MAJOR))
	check("CodecLicense", dl.GoString(avcodec.CodecLicense()) != "", true)
	check("CodecConfiguration", dl.GoString(avcodec.CodecConfiguration()) != "", true)
	check("CodecGetName", dl.GoString(avcodec.CodecGetName(avcodec.AV_CODEC_ID_H264)), "h264")
	check("CodecGetType", avcodec.CodecGetType(avcodec.AV_CODEC_ID_H264), avcodec.AVMEDIA_TYPE_VIDEO)
	d := avcodec.CodecFindDecoder(avcodec.AV_CODEC_ID_PNG)
	check("CodecIsDecoder", avcodec.CodecIsDecoder(d), int32(1))
	check("CodecIsEncoder", avcodec.CodecIsEncoder(d), int32(0))
	check("name", dl.GoString(d.Name), "png")
	c := avcodec.CodecAllocContext3(d)
	check("CodecOpen2", avcodec.CodecOpen2(c, d, nil), int32(0))
	check("CodecIsOpen", avcodec.CodecIsOpen(c) != 0, true)
	p := avcodec.PacketAlloc()
	var pin runtime.Pinner
	defer pin.Unpin()
	check("PacketClone", avcodec.PacketClone(p) != nil, true)`},
	{"libhdf5_serial.so.103", "hdf5", "", "^H5(open|get_libversion|is_library_threadsafe|S(create_simple|get_simple_extent_(npoints|ndims)|close)|T(create|insert|get_size|close|get_class)|P(create|close))$", `
	check("H5open", hdf5.H5open(), int32(0))
	var major, minor, release uint32
	check("H5getLibversion", hdf5.H5getLibversion(&major, &minor, &release), int32(0))
	check("major", major, uint32(hdf5.H5_VERS_MAJOR))
	sizes := []uint64{3, 4}
	s := hdf5.H5ScreateSimple(2, &sizes[0], nil)
	check("H5SgetSimpleExtentNpoints", hdf5.H5SgetSimpleExtentNpoints(s), int64(12))
	check("H5SgetSimpleExtentNdims", hdf5.H5SgetSimpleExtentNdims(s), int32(2))
	check("H5Sclose", hdf5.H5Sclose(s), int32(0))
	c := hdf5.H5Tcreate(hdf5.H5T_COMPOUND, 16)
	check("H5TgetSize", hdf5.H5TgetSize(c), uint64(16))
	check("H5TgetClass", hdf5.H5TgetClass(c), hdf5.H5T_COMPOUND)
	check("H5Tclose", hdf5.H5Tclose(c), int32(0))
	check("H5isLibraryThreadsafe", hdf5.H5isLibraryThreadsafe(new(bool)), int32(0))`},
	{"libSDL2-2.0.so.0", "sdl", "SDL_", "^SDL_(GetVersion|CreateRGBSurface|FreeSurface|MapRGB|FillRect|GetError|SetError|ClearError|GetPixelFormatName|GetCPUCount|GetPlatform|HasIntersection|strlen|GetTicks64|RWFromMem|GetRevision|SetHint|GetHint)$", `
	var v sdl.Version
	sdl.GetVersion(&v)
	check("GetVersion", v.Major, uint8(2))
	check("GetCPUCount", sdl.GetCPUCount() > 0, true)
	s := sdl.CreateRGBSurface(0, 4, 3, 32, 0xff0000, 0xff00, 0xff, 0)
	check("size", s.W*s.H, int32(12))
	check("MapRGB", sdl.MapRGB(s.Format, 1, 2, 3)&0xffffff, uint32(0x010203))
	check("FillRect", sdl.FillRect(s, nil, 7), int32(0))
	check("pixel", *(*uint32)(s.Pixels), uint32(7))
	check("GetPixelFormatName", dl.GoString(sdl.GetPixelFormatName(s.Format.Format)) != "", true)
	sdl.FreeSurface(s)
	sdl.ClearError()
	check("GetError", dl.GoString(sdl.GetError()), "")
	a, b := sdl.Rect{X: 0, Y: 0, W: 2, H: 2}, sdl.Rect{X: 1, Y: 1, W: 2, H: 2}
	check("HasIntersection", sdl.HasIntersection(&a, &b) != 0, true)
	check("SetHint", sdl.SetHint(dl.CString("seam"), dl.CString("yes")) != 0, true)
	check("GetHint", dl.GoString(sdl.GetHint(dl.CString("seam"))), "yes")`},
	{"libgdal.so.32", "gdal", "", "^OGR_G_(CreateGeometry|CreateFromWkt|DestroyGeometry|AddPoint_2D|GetPointCount|GetX|GetY|Length|Area|GetGeometryType|Clone|Equals|IsValid|IsEmpty)$|^GDALVersionInfo$", `
	check("GDALVersionInfo", dl.GoString(gdal.GDALVersionInfo(dl.CString("VERSION_NUM"))) > "3", true)
	g := gdal.OGRGCreateGeometry(gdal.WkbLineString)
	check("OGRGIsEmpty", gdal.OGRGIsEmpty(g), int32(1))
	gdal.OGRGAddPoint2D(g, 0, 0)
	gdal.OGRGAddPoint2D(g, 3, 4)
	check("OGRGGetPointCount", gdal.OGRGGetPointCount(g), int32(2))
	check("OGRGLength", gdal.OGRGLength(g), 5.0)
	check("OGRGGetX", gdal.OGRGGetX(g, 1), 3.0)
	check("OGRGGetY", gdal.OGRGGetY(g, 1), 4.0)
	check("OGRGGetGeometryType", gdal.OGRGGetGeometryType(g), gdal.WkbLineString)
	h := gdal.OGRGClone(g)
	check("OGRGEquals", gdal.OGRGEquals(g, h) != 0, true)
	check("OGRGArea", gdal.OGRGArea(g), 0.0)
	gdal.OGRGDestroyGeometry(g)
	gdal.OGRGDestroyGeometry(h)`},
}

// levels are the calls of LevelDB's interface, which RocksDB has, too.
func levels(name string) string {
	return strings.ReplaceAll(`
	dir, err := os.MkdirTemp("", "LIB")
	check("folder", err, nil)
	defer os.RemoveAll(dir)
	o, w, r := LIB.OptionsCreate(), LIB.WriteoptionsCreate(), LIB.ReadoptionsCreate()
	LIB.OptionsSetCreateIfMissing(o, 1)
	failed := new(*byte)
	db := LIB.Open(o, dl.CString(dir+"/db"), failed)
	check("Open", *failed == nil && db != nil, true)
	key := dl.CString("key")
	LIB.Put(db, w, key, 3, key, 2, failed)
	check("Put", *failed == nil, true)
	var n uint64
	value := LIB.Get(db, r, key, 3, &n, failed)
	check("Get", string(unsafe.Slice(value, n)), "ke")
	LIB.Free(unsafe.Pointer(value))
	LIB.Delete(db, w, key, 3, failed)
	check("Get", LIB.Get(db, r, key, 3, &n, failed) == nil, true)
	LIB.Close(db)
	LIB.WriteoptionsDestroy(w)
	LIB.ReadoptionsDestroy(r)
	LIB.OptionsDestroy(o)`, "LIB", name)
}

// One program without cgo calls those of the libraries that are installed.
func TestCalls(t *testing.T) {
	needCompiler(t)
	testenv.Tool(t, "pkg-config")
	dir, path := folder(t)
	main := "package main\nimport (\"fmt\"; \"os\")\nfunc check(what string, got, want any) {\nif got != want {\nfmt.Printf(\"%s: %v, want %v\\n\", what, got, want)\nos.Exit(1)\n}\n}\nfunc main() {\n"
	var missing []string
	all := os.Getenv("SEAM_BIND_HEADERS") == "all"
	for i, c := range calls {
		if i >= quick && !all {
			continue
		}
		d := debian[slices.IndexFunc(debian, func(d struct{ lib, pkgConfig, dev, headers string }) bool { return d.lib == c.lib })]
		o := Options{Headers: strings.Fields(d.headers), Libs: []string{c.lib}, Package: c.name, Trim: []string{c.trim}, Match: regexp.MustCompile(c.match), Command: "seam bind"}
		if d.pkgConfig != "" {
			out, err := exec.Command("pkg-config", "--cflags", d.pkgConfig).Output()
			if err != nil {
				missing = append(missing, d.dev)
				continue
			}
			o.CFlags = strings.Fields(string(out))
		}
		r, err := Run(t.Context(), o)
		if err != nil && strings.Contains(err.Error(), "there is no header") {
			missing = append(missing, d.dev)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Install(filepath.Join(dir, c.name)); err != nil {
			t.Fatal(err)
		}
		imports := ""
		for _, i := range []string{path + "/" + c.name, "github.com/seamgo/seam/dl", "fmt", "os", "runtime", "strings", "unsafe"} {
			if strings.Contains(c.body, filepath.Base(i)+".") {
				imports += fmt.Sprintf("%q\n", i)
			}
		}
		file := fmt.Sprintf("package main\nimport (\n%s)\nfunc call_%s() {\ncheck(\"Load\", %[2]s.Load(), nil)\n%s\n}\n", imports, c.name, c.body)
		if err := os.WriteFile(filepath.Join(dir, "call_"+c.name+".go"), []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		main += fmt.Sprintf("call_%s()\nfmt.Println(%[1]q)\n", c.name)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(main+"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Log(goRun(t, dir, nil, "run", "."))
	switch {
	case len(missing) > 0 && all:
		t.Error("not installed: ", missing)
	case len(missing) > 0:
		t.Skip("the others are as C has them; not installed: ", missing)
	}
}

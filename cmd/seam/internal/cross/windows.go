package cross

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// peMachines are the GOARCHs of Windows.
var peMachines = map[uint16]string{
	pe.IMAGE_FILE_MACHINE_I386: "386", pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64", pe.IMAGE_FILE_MACHINE_ARMNT: "arm",
}

// windowsOwn are DLLs that every Windows since 10 has. Beside them are the sets api-ms-win-*,
// which the loader resolves.
var windowsOwn = strings.Fields(`advapi32 avrt bcrypt bcryptprimitives cabinet cfgmgr32 combase comctl32 comdlg32 crypt32
	cryptbase cryptui d2d1 d3d11 d3d12 d3d9 dbghelp dnsapi dsound dwmapi dwrite dxgi dxva2 evr fwpuclnt gdi32 gdiplus glu32
	hid httpapi imagehlp imm32 iphlpapi kernel32 kernelbase ktmw32 logoncli mf mfplat mfreadwrite mpr msimg32 msvcrt mswsock ncrypt netapi32
	netutils normaliz ntdll odbc32 ole32 oleacc oleaut32 opengl32 pdh powrprof propsys psapi rpcrt4 samcli sechost secur32
	setupapi shcore shell32 shlwapi sspicli synchronization ucrtbase urlmon user32 userenv usp10 uxtheme version vfw32
	webservices wevtapi windowscodecs winhttp wininet winmm winspool.drv winscard wintrust winusb wldap32 wsock32 ws2_32 wtsapi32 xinput1_4`)

// isWindowsOwn reports whether a DLL is known as a part of Windows.
func isWindowsOwn(dll string) bool {
	name := strings.TrimSuffix(strings.ToLower(dll), ".dll")
	return strings.HasPrefix(name, "api-ms-win-") || strings.HasPrefix(name, "ext-ms-") || slices.Contains(windowsOwn, name)
}

// lookPE reads a program for Windows.
func (t Target) lookPE(file string) (*Binary, error) {
	f, err := pe.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: not a program of Windows: %w", file, err)
	}
	defer f.Close()
	b := &Binary{File: file, GOOS: "windows", GOARCH: peMachines[f.Machine], Machine: fmt.Sprintf("machine %#x of PE", f.Machine), Needs: []string{}, Versions: []Version{}, Wrong: []string{}}
	libraries, err := importedDLLs(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	b.Needs = append(b.Needs, libraries...)
	for _, dll := range libraries {
		if !isWindowsOwn(dll) {
			b.Foreign = append(b.Foreign, dll)
		}
	}
	b.Static = len(b.Foreign) == 0
	b.compare(t)
	return b, nil
}

var errImports = errors.New("its list of DLLs can't be read")

// importedDLLs are the DLLs that a program is linked with, those among them too that are loaded when
// they are first called. (debug/pe's ImportedLibraries returns none, and its ImportedSymbols
// leaves out what is imported by number.)
func importedDLLs(f *pe.File) ([]string, error) {
	var directories []pe.DataDirectory
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		directories = h.DataDirectory[:min(h.NumberOfRvaAndSizes, 16)]
	case *pe.OptionalHeader64:
		directories = h.DataDirectory[:min(h.NumberOfRvaAndSizes, 16)]
	default:
		return nil, errors.New("it is an object and no program")
	}
	in := image{f, map[*pe.Section][]byte{}}
	var list []string
	for _, table := range []struct{ directory, size, name int }{
		{pe.IMAGE_DIRECTORY_ENTRY_IMPORT, 20, 12}, {pe.IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT, 32, 4},
	} {
		if len(directories) <= table.directory || directories[table.directory].VirtualAddress == 0 {
			continue
		}
		text, err := in.at(directories[table.directory].VirtualAddress)
		if err != nil {
			return nil, err
		}
		for ; ; text = text[table.size:] {
			if len(text) < table.size {
				return nil, errImports
			}
			at := binary.LittleEndian.Uint32(text[table.name:])
			if at == 0 {
				break // the last entry is of zeros
			}
			name, err := in.at(at)
			if err != nil {
				return nil, err
			}
			end := bytes.IndexByte(name[:min(len(name), 260)], 0)
			if end < 0 {
				return nil, errImports
			}
			if list = append(list, string(name[:end])); len(list) > mostDLLs {
				return nil, errImports
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// mostDLLs is more than a program has, and bounds what a hostile file can cost.
const mostDLLs = 10000

// An image is a program by the addresses that it is loaded at.
type image struct {
	file *pe.File
	read map[*pe.Section][]byte
}

// at is what lies at an address, up to the end of its section.
func (m image) at(address uint32) ([]byte, error) {
	for _, s := range m.file.Sections {
		if address < s.VirtualAddress || address-s.VirtualAddress >= s.Size {
			continue
		}
		text, read := m.read[s]
		if !read {
			var err error
			if text, err = s.Data(); err != nil {
				return nil, errImports
			}
			m.read[s] = text
		}
		if offset := uint64(address - s.VirtualAddress); offset < uint64(len(text)) {
			return text[offset:], nil
		}
	}
	return nil, errImports
}

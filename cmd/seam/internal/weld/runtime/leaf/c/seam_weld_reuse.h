/* Blocks of malloc's that the program has freed and that Go keeps for its next strings: rt/reuse.go has
 * the layout too, and says how they are used. It stands behind seam_weld_impl.h. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

struct _seam_blocks {
	_seam_u64 _off, _unused[7];
	void *_line[64][2][4];
};
struct _seam_blocks _seam_blocks_v1 __attribute__((__weak__, __visibility__("hidden"), __aligned__(64)));

__attribute__((__constructor__)) static void _seam_reuse(void)
{
	const char *e = _seam_getenv("SEAM_REUSE");
	_seam_blocks_v1._off = e && (_seam_same(e, "off") || _seam_same(e, "0"));
}

/* Where strings of C's can neither change nor go away, so that C.GoString needs no copy: the
 * segments without leave to write (PT_LOAD without PF_W) of the program's file, of the libraries that
 * were loaded with it, and of those that are never unloaded. What is writable until relocation is over
 * (RELRO) lies in a segment with that leave and doesn't count.
 *
 * A library is loaded with the program if the program, or another such library, names it (DT_NEEDED): the
 * loader holds these until the end. It maps them before it runs any code of theirs and lists them before
 * all that dlopen adds, so of several with one name the first is meant. This is read once, when the
 * program starts and everything is relocated; Go only reads the table. It stands behind
 * seam_weld_impl.h. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

/* Ranges of addresses, in any order: in rt/view.go as well. */
struct _seam_fixed {
	_seam_u64 _n;
	struct { _seam_u64 _begin, _size; } _at[64];
};
struct _seam_fixed _seam_fixed_v1 __attribute__((__weak__, __visibility__("hidden")));

/* What <link.h> has, for 64 bits. */
struct _seam_phdr { unsigned int _type, _flags; _seam_u64 _offset, _vaddr, _paddr, _filesz, _memsz, _align; };
struct _seam_dyn { long long _tag; _seam_u64 _value; };
struct _seam_object { _seam_u64 _addr; const char *_name; const struct _seam_phdr *_phdr; unsigned short _phnum; };

extern int _seam_iterate(int (*_note)(struct _seam_object *, unsigned long, void *), void *_arg) __asm__("dl_iterate_phdr");
extern unsigned long _seam_auxval(unsigned long _type) __asm__("getauxval");

struct _seam_loaded {
	struct _seam_object _o;
	const struct _seam_dyn *_dynamic;	/* or NULL */
	const char *_strings;			/* of _dynamic */
	const char *_soname;			/* or NULL */
	int _stays;
};
struct _seam_all { struct _seam_loaded _list[96]; unsigned _n; };

static int _seam_note(struct _seam_object *o, unsigned long _size, void *_arg)
{
	struct _seam_all *_all = (struct _seam_all *)_arg;
	struct _seam_loaded *l = &_all->_list[_all->_n];
	const struct _seam_dyn *d;
	_seam_u64 _soname = 0;
	unsigned i;
	(void)_size;
	if (_all->_n == sizeof _all->_list / sizeof _all->_list[0])
		return 1;
	_all->_n++;
	l->_o = *o;
	l->_dynamic = 0;
	l->_strings = l->_soname = 0;
	l->_stays = 0;
	for (i = 0; i < o->_phnum; i++)
		if (o->_phdr[i]._type == 2 /* PT_DYNAMIC */)
			l->_dynamic = (const struct _seam_dyn *)(o->_addr + o->_phdr[i]._vaddr);
	for (d = l->_dynamic; d && d->_tag; d++)
		switch (d->_tag) {
		case 5: /* DT_STRTAB: an address in glibc, an offset where nobody has relocated it */
			l->_strings = (const char *)(d->_value < o->_addr ? d->_value + o->_addr : d->_value);
			break;
		case 14: /* DT_SONAME */
			_soname = d->_value;
			break;
		case 0x6ffffffb: /* DT_FLAGS_1 */
			l->_stays = (d->_value & 8 /* DF_1_NODELETE */) != 0;
		}
	if (!l->_strings)
		l->_dynamic = 0;
	else if (_soname)
		l->_soname = l->_strings + _soname;
	return 0;
}

/* _seam_keep_needed marks the first object of a name, and reports whether it wasn't marked before. */
static int _seam_keep_needed(struct _seam_all *_all, const char *_name)
{
	unsigned i;
	for (i = 0; i < _all->_n; i++) {
		struct _seam_loaded *l = &_all->_list[i];
		const char *_base = l->_o._name ? l->_o._name : "", *c;
		int _same = _seam_same(_base, _name);
		for (c = _base; *c; c++)
			if (*c == '/')
				_base = c + 1;
		if (_same || _seam_same(_base, _name) || (l->_soname && _seam_same(l->_soname, _name))) {
			_same = !l->_stays;
			l->_stays = 1;
			return _same;
		}
	}
	return 0;
}

/* _seam_fix_object notes an object's segments, those that share or follow a page as one. */
static void _seam_fix_object(const struct _seam_object *o, _seam_u64 _page)
{
	struct _seam_fixed *f = &_seam_fixed_v1;
	_seam_u64 _end = 0; /* of the last range, if it is of this object */
	unsigned i;
	for (i = 0; i < o->_phnum; i++) {
		const struct _seam_phdr *p = &o->_phdr[i];
		_seam_u64 _begin = o->_addr + p->_vaddr;
		if (p->_type != 1 /* PT_LOAD */ || (p->_flags & 6) != 4 /* PF_R without PF_W */)
			continue;
		if (_end && _begin >= _end && (_begin & -_page) <= ((_end + _page - 1) & -_page)) {
			_end = _begin + p->_filesz;
			f->_at[f->_n - 1]._size = _end - f->_at[f->_n - 1]._begin;
			continue;
		}
		if (f->_n == sizeof f->_at / sizeof f->_at[0])
			return;
		f->_at[f->_n]._begin = _begin;
		f->_at[f->_n]._size = p->_filesz;
		_end = _begin + p->_filesz;
		f->_n++;
	}
}

__attribute__((__constructor__)) static void _seam_fix(void)
{
	struct _seam_all _all;
	const char *e = _seam_getenv("SEAM_VIEWS");
	unsigned i;
	int _more = 1;
	if (_seam_fixed_v1._n || (e && (_seam_same(e, "off") || _seam_same(e, "0"))))
		return; /* another package has done it; nothing is to be done */
	_all._n = 0;
	_seam_iterate(_seam_note, &_all);
	/* In a namespace of dlmopen the first object isn't the program. */
	if (_all._n > 0 && (unsigned long)_all._list[0]._o._phdr == _seam_auxval(3 /* AT_PHDR */))
		_all._list[0]._stays = 1;
	while (_more) {
		_more = 0;
		for (i = 0; i < _all._n; i++) {
			const struct _seam_dyn *d = _all._list[i]._stays ? _all._list[i]._dynamic : 0;
			for (; d && d->_tag; d++)
				if (d->_tag == 1 /* DT_NEEDED */)
					_more |= _seam_keep_needed(&_all, _all._list[i]._strings + d->_value);
		}
	}
	for (i = 0; i < _all._n; i++)
		if (_all._list[i]._stays)
			_seam_fix_object(&_all._list[i]._o, _seam_auxval(6 /* AT_PAGESZ */));
}

//go:build cgo && linux && (amd64 || arm64)

#define _GNU_SOURCE
#include "image.h"

#ifdef SEAM_UNWIND
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

seam_image seam_open(const char *path) {
	seam_image f = {0};
	struct stat st;
	if (*path && !strchr(path, '/')) // the vDSO has no file
		return f;
	int fd = (int)csys_kernel(SYS_openat, AT_FDCWD, (long)(*path ? path : "/proc/self/exe"), O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return f;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		long p = csys_kernel(SYS_mmap, 0, (long)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p > 0)
			f = (seam_image){(const char *)p, (size_t)st.st_size};
	}
	csys_kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	return f;
}

int seam_find_symbol(seam_image f, const char *name, int defined, uintptr_t *value) {
	size_t count;
	const Elf64_Shdr *sections = csys_sections(f, &count);
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *s = &sections[i], *strings = &sections[s->sh_link < count ? s->sh_link : 0];
		if ((s->sh_type != SHT_DYNSYM && s->sh_type != SHT_SYMTAB) || !csys_has(f, s->sh_offset, s->sh_size) || !csys_is_strings(f, strings))
			continue;
		for (size_t k = 0; k < s->sh_size / sizeof(Elf64_Sym); k++) {
			Elf64_Sym y;
			memcpy(&y, f.at + s->sh_offset + k * sizeof y, sizeof y);
			if ((y.st_shndx != SHN_UNDEF) == defined && y.st_name < strings->sh_size && strcmp(f.at + strings->sh_offset + y.st_name, name) == 0) {
				*value = y.st_value;
				return 1;
			}
		}
	}
	return 0;
}
#endif

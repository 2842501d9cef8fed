//go:build cgo && linux && (amd64 || arm64)

#define _GNU_SOURCE
#include "image.h"
#include "kernel.h"

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
	int fd = (int)seam_kernel(SYS_openat, AT_FDCWD, (long)(*path ? path : "/proc/self/exe"), O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return f;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		long p = seam_kernel(SYS_mmap, 0, (long)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p > 0)
			f = (seam_image){(const char *)p, (size_t)st.st_size};
	}
	seam_kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	return f;
}

int seam_inside(seam_image f, uint64_t offset, uint64_t n) { return offset <= f.size && n <= f.size - offset; }

const Elf64_Shdr *seam_sections(seam_image f, size_t *count) {
	Elf64_Ehdr h;
	*count = 0;
	if (!seam_inside(f, 0, sizeof h))
		return NULL;
	memcpy(&h, f.at, sizeof h);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_shentsize != sizeof(Elf64_Shdr) ||
	    (h.e_shoff & 7) || !seam_inside(f, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
		return NULL;
	*count = h.e_shnum;
	return (const Elf64_Shdr *)(f.at + h.e_shoff);
}

int seam_is_strings(seam_image f, const Elf64_Shdr *s) {
	return s->sh_type == SHT_STRTAB && s->sh_size && seam_inside(f, s->sh_offset, s->sh_size) && f.at[s->sh_offset + s->sh_size - 1] == 0;
}

const Elf64_Shdr *seam_section(seam_image f, const char *name) {
	size_t count;
	const Elf64_Shdr *sections = seam_sections(f, &count);
	if (!sections)
		return NULL;
	uint16_t index = ((const Elf64_Ehdr *)f.at)->e_shstrndx;
	if (index >= count || !seam_is_strings(f, &sections[index]))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (sections[i].sh_name < sections[index].sh_size && strcmp(f.at + sections[index].sh_offset + sections[i].sh_name, name) == 0)
			return &sections[i];
	return NULL;
}
#endif

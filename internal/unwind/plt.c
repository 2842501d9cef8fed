//go:build cgo && linux && (amd64 || arm64)

#include "plt.h"

#ifdef SEAM_UNWIND
#include <string.h>

#ifdef __x86_64__
enum { JUMP_SLOT = 7, GLOB_DAT = 6, IRELATIVE = 37 };
#else
enum { JUMP_SLOT = 1026, GLOB_DAT = 1025, IRELATIVE = 1032 };
#endif

int seam_is_plt(seam_image f, const Elf64_Shdr *s) {
	size_t count;
	const Elf64_Shdr *sections = csys_sections(f, &count), *names;
	uint16_t index = sections ? ((const Elf64_Ehdr *)f.at)->e_shstrndx : 0;
	if (!sections || index >= count || s->sh_type != SHT_PROGBITS || !(s->sh_flags & SHF_EXECINSTR) || !csys_has(f, s->sh_offset, s->sh_size))
		return 0;
	names = &sections[index];
	return csys_is_strings(f, names) && s->sh_name < names->sh_size && strncmp(f.at + names->sh_offset + s->sh_name, ".plt", 4) == 0;
}

// The relocations of a file's words. Those of stubs lie in the order of the stubs, so the next
// one that is asked for is mostly next.
typedef struct {
	seam_image f;
	const Elf64_Shdr *sections;
	size_t count;
	size_t section, next;
} relocations;

static int name_it(const relocations *r, const Elf64_Shdr *table, Elf64_Rela rela, seam_stub *stub) {
	uint64_t type = ELF64_R_TYPE(rela.r_info), index = ELF64_R_SYM(rela.r_info);
	if (type == IRELATIVE) {
		stub->function = NULL;
		stub->resolver = (uint64_t)rela.r_addend;
		return 1;
	}
	if ((type != JUMP_SLOT && type != GLOB_DAT) || table->sh_link >= r->count)
		return 0;
	const Elf64_Shdr *symbols = &r->sections[table->sh_link];
	if (symbols->sh_link >= r->count || !csys_has(r->f, symbols->sh_offset, symbols->sh_size) || index >= symbols->sh_size / sizeof(Elf64_Sym))
		return 0;
	const Elf64_Shdr *strings = &r->sections[symbols->sh_link];
	Elf64_Sym s;
	memcpy(&s, r->f.at + symbols->sh_offset + index * sizeof s, sizeof s);
	if (!csys_is_strings(r->f, strings) || s.st_name >= strings->sh_size)
		return 0;
	stub->function = r->f.at + strings->sh_offset + s.st_name;
	return *stub->function != 0;
}

static int find(relocations *r, uint64_t word, seam_stub *stub) {
	for (size_t tries = 0; tries <= r->count; tries++) { // the first section from its middle on, and at last once more
		if (r->section >= r->count)
			r->section = r->next = 0;
		const Elf64_Shdr *s = &r->sections[r->section];
		size_t n = s->sh_type == SHT_RELA && csys_has(r->f, s->sh_offset, s->sh_size) ? s->sh_size / sizeof(Elf64_Rela) : 0;
		for (; r->next < n; r->next++) {
			Elf64_Rela rela;
			memcpy(&rela, r->f.at + s->sh_offset + r->next * sizeof rela, sizeof rela);
			if (rela.r_offset == word && name_it(r, s, rela, stub)) {
				r->next++;
				return 1;
			}
		}
		r->section++;
		r->next = 0;
	}
	return 0;
}

#ifdef __x86_64__
// In each entry is one jmp *word(%rip), behind endbr64, bnd or a number that is given to the
// function which looks the other one up. A jump and a nop alone are half as long.
static uint64_t look(const Elf64_Shdr *s, const uint8_t *code, uint64_t at, uint64_t *size) {
	const uint8_t *c = code + at;
	*size = c[0] == 0xff && c[1] == 0x25 && c[6] == 0x66 && c[7] == 0x90 ? 8 : 16;
	for (uint64_t i = 0; i + 6 <= *size && at + i + 6 <= s->sh_size; i++)
		if (code[at + i] == 0xff && code[at + i + 1] == 0x25) {
			int32_t distance;
			memcpy(&distance, code + at + i + 2, 4);
			return s->sh_addr + at + i + 6 + (uint64_t)(int64_t)distance;
		}
	return 0;
}
#else
// adrp x16; ldr x17, [x16, n]; add x16, x16, n; br x17; where branches are protected with bti c in
// front, or autia1716 in between.
static uint64_t look(const Elf64_Shdr *s, const uint8_t *code, uint64_t at, uint64_t *size) {
	uint32_t adrp, ldr, in;
	uint64_t from = at;
	*size = 4;
	memcpy(&adrp, code + at, 4);
	if (adrp == 0xd503245f && at + 8 <= s->sh_size)
		memcpy(&adrp, code + (from += 4), 4);
	if (from + 12 > s->sh_size || (adrp & 0x9f00001f) != 0x90000010)
		return 0;
	memcpy(&ldr, code + from + 4, 4);
	if ((ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	for (*size = from - at + 8; *size <= 28 && at + *size + 4 <= s->sh_size; *size += 4) {
		memcpy(&in, code + at + *size, 4);
		if (in == 0xd61f0220)
			break;
	}
	*size += 4;
	int64_t pages = (int64_t)((uint64_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 43) >> 43;
	return ((s->sh_addr + from) & ~(uint64_t)4095) + (uint64_t)(pages * 4096) + (ldr >> 10 & 0xfff) * 8;
}
#endif

void seam_stubs(seam_image f, void (*each)(void *arg, seam_stub), void *arg) {
	relocations r = {.f = f};
	r.sections = csys_sections(f, &r.count);
	for (size_t i = 0; i < r.count; i++) {
		const Elf64_Shdr *s = &r.sections[i];
		if (!seam_is_plt(f, s))
			continue;
		const uint8_t *code = (const uint8_t *)f.at + s->sh_offset;
		for (uint64_t at = 0, size; at + 8 <= s->sh_size; at += size) {
			seam_stub stub = {.at = s->sh_addr + at};
			uint64_t word = look(s, code, at, &size);
			stub.size = size;
			if (word && find(&r, word, &stub))
				each(arg, stub);
		}
	}
}
#endif

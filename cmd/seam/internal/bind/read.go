package bind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"modernc.org/cc/v4"
)

// A unit is what a target's compiler would see of the headers.
type unit struct {
	target  Target
	headers []string // as they are included
	files   []string // the files that they are
	ast     *cc.AST
	config  *cc.Config
	system  []string // folders of everybody's headers
}

// read reads the headers.
func read(ctx context.Context, t Target, o Options) (*unit, error) {
	cfg, system, err := t.config(ctx, o.CFlags)
	if err != nil {
		return nil, err
	}
	u := &unit{target: t, headers: o.Headers, config: cfg, system: system}
	sources := []cc.Source{
		{Name: "<predefined>", Value: cfg.Predefined},
		{Name: "<builtin>", Value: cc.Builtin},
	}
	for _, h := range o.Headers {
		file, err := u.find(h, o.CFlags)
		if err != nil {
			return nil, err
		}
		u.files = append(u.files, file)
		sources = append(sources, cc.Source{Name: file})
	}
	if u.ast, err = translate(cfg, sources); err != nil {
		err = fmt.Errorf("%s can't be read for %s: %w", strings.Join(o.Headers, ", "), t.Arch, brief(err))
		if errors.As(err, new(panicked)) { // the compiler may know what is wrong with the header
			err = errors.Join(err, t.compile(ctx, o.CFlags, u.files, nil))
		}
		return nil, err
	}
	return u, nil
}

// panicked is an error of the front end itself.
type panicked struct{ text string }

func (p panicked) Error() string { return p.text }

// translate is the front end, which may meet what its authors haven't.
func translate(cfg *cc.Config, sources []cc.Source) (ast *cc.AST, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked{fmt.Sprintf("the C front end fails: %v", r)}
		}
	}()
	return cc.Translate(cfg, sources)
}

// brief keeps the beginning of what the front end or a compiler says, which may be thousands of
// lines, or one of megabytes.
func brief(err error) error {
	const most, longest = 5, 1500
	text := strings.TrimSpace(err.Error())
	lines := strings.Split(text, "\n")
	if len(lines) <= most && len(text) <= longest {
		return err
	}
	more := ""
	if n := len(lines) - most; n > 0 {
		more = fmt.Sprintf("\n(and %d lines more)", n)
		text = strings.Join(lines[:most], "\n")
	}
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return errors.New(text + more)
}

// find returns the file of a header.
func (u *unit) find(header string, flags []string) (string, error) {
	var folders []string
	for i, f := range flags {
		if dir, ok := strings.CutPrefix(f, "-I"); ok && dir != "" {
			folders = append(folders, dir)
		} else if ok && i+1 < len(flags) {
			folders = append(folders, flags[i+1])
		}
	}
	for _, dir := range slices.Concat([]string{""}, folders, u.config.SysIncludePaths) {
		file := filepath.Join(dir, header)
		if abs, err := filepath.Abs(file); err == nil && isFile(abs) {
			return abs, nil
		}
	}
	return "", fmt.Errorf("there is no header %s here nor in %s", header, strings.Join(append(folders, u.config.SysIncludePaths...), ", "))
}

// ours reports whether a file is one of the headers that were named, or is in the library's
// own folder: the one where such a header is, unless that is a folder of everybody's, and the
// one that is called like it, as git2/ beside git2.h.
func (u *unit) ours(file string) bool {
	if slices.Contains(u.files, file) {
		return true
	}
	return slices.ContainsFunc(u.files, func(named string) bool {
		dir := filepath.Dir(named)
		own := strings.TrimSuffix(named, filepath.Ext(named)) + "/"
		return strings.HasPrefix(file, own) || !slices.Contains(u.system, dir) && strings.HasPrefix(file, dir+"/")
	})
}

// A declared is a declarator at file scope, with the text and the comment above it.
type declared struct {
	*cc.Declarator
	comment string
	text    string
	inline  bool
}

// declarations returns those of our headers, in their order.
func (u *unit) declarations() (list []declared) {
	seen := map[string]bool{}
	add := func(d *cc.Declarator, n cc.Node, body, inline bool) {
		key := d.Name()
		if !u.ours(d.Position().Filename) || seen[key] {
			return
		}
		seen[key] = true
		tokens := cc.NodeTokens(n)
		text := ""
		if len(tokens) > 0 {
			text = comment(tokens[0].Sep())
		}
		source := cc.NodeSource(n)
		if body {
			source, _, _ = strings.Cut(source, "{")
		}
		list = append(list, declared{d, text, squeeze(source), inline || body})
	}
	for tu := u.ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		e := tu.ExternalDeclaration
		switch {
		case e.FunctionDefinition != nil:
			add(e.FunctionDefinition.Declarator, e.FunctionDefinition, true, true)
		case e.Declaration != nil:
			for l := e.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
				d := l.InitDeclarator.Declarator
				add(d, e.Declaration, false, d.IsInline())
			}
		}
	}
	return list
}

// others tells which of the files that are included declare functions.
func (u *unit) others() string {
	count := map[string]int{}
	for tu := u.ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		if d := tu.ExternalDeclaration.Declaration; d != nil && d.InitDeclaratorList != nil {
			if d := d.InitDeclaratorList.InitDeclarator.Declarator; d.Type().Kind() == cc.Function && !d.IsTypename() && filepath.IsAbs(d.Position().Filename) {
				count[d.Position().Filename]++
			}
		}
	}
	files := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	var list []string
	for _, f := range files[:min(len(files), 5)] {
		list = append(list, fmt.Sprintf("%s (%s)", f, quantity.Plural(count[f], "function")))
	}
	if len(list) == 0 {
		return ""
	}
	return ". Those that are included: " + strings.Join(list, ", ")
}

// squeeze makes one line of C's text.
func squeeze(c string) string {
	c = strings.Join(strings.Fields(stripComments(c)), " ")
	for {
		before, rest, ok := strings.Cut(c, "__attribute__")
		if !ok {
			break
		}
		rest = strings.TrimLeft(rest, " ")
		depth, end := 0, len(rest)
		for i, r := range rest {
			if r == '(' {
				depth++
			} else if r == ')' {
				if depth--; depth == 0 {
					end = i + 1
					break
				}
			}
		}
		c = before + rest[end:]
	}
	c = strings.TrimSuffix(strings.Join(strings.Fields(c), " "), ";")
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(c), "extern "))
}

func stripComments(c string) string {
	for {
		before, rest, ok := strings.Cut(c, "/*")
		if !ok {
			break
		}
		_, after, _ := strings.Cut(rest, "*/")
		c = before + " " + after
	}
	var b strings.Builder
	for line := range strings.Lines(c) {
		before, _, _ := strings.Cut(line, "//")
		b.WriteString(before + "\n")
	}
	return b.String()
}

// comment returns the comment that stands right above a declaration, from the white space
// before its first token. One that begins on the line of the token before belongs to that.
func comment(space []byte) string {
	s := string(space)
	_, s, ok := strings.Cut(s, "\n")
	if !ok {
		return ""
	}
	s = strings.TrimRight(s, " \t")
	if strings.HasSuffix(s, "\n\n") {
		return ""
	}
	s = strings.TrimSpace(s)
	var lines []string
	if strings.HasSuffix(s, "*/") {
		at := strings.LastIndex(s, "/*")
		if at < 0 {
			return ""
		}
		body := strings.TrimSuffix(strings.TrimLeft(s[at:], "/*"), "*/")
		for l := range strings.Lines(body) {
			l = strings.TrimRight(l, " \t\n*")
			l = strings.TrimPrefix(strings.TrimLeft(l, " \t"), "*")
			lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(l, "*"), " "))
		}
	} else {
		all := strings.Split(s, "\n")
		for _, l := range slices.Backward(all) {
			text, ok := strings.CutPrefix(strings.TrimSpace(l), "//")
			if !ok {
				break
			}
			lines = append([]string{strings.TrimPrefix(strings.TrimLeft(text, "/!<"), " ")}, lines...)
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n ")
}

package proof
import ("testing";"context";"time";"sort";"path/filepath"
"github.com/seamgo/seam/cmd/seam/internal/weld/gocmd")
func TestZZ(t *testing.T){
 dir:="/tmp/gt"
 l,err:=gocmd.List(context.Background(),"go",dir,[]string{"-deps"},"./...")
 if err!=nil {t.Fatal(err)}
 for _,p:=range l { if p.UsesCgo() && !p.Standard { s:=time.Now(); 
   obj:=filepath.Join(t.TempDir(),"o"); if err:=gocmd.Generate(context.Background(),"go",p,obj); err!=nil {t.Fatal(err)}
   r,err:=Prove(context.Background(),p,obj,Options{Cache:"/tmp/gt/cache"}); if err!=nil {t.Fatal(err)}
   t.Log(p.ImportPath,time.Since(s),r.Missing,r.Compiled,r.Cached)
   var names []string; for n:=range r.Functions{names=append(names,n)}; sort.Strings(names)
   for _,n:=range names { if n=="_sqlite3_step_values"||n=="ZSTD_compress"||n=="sqlite3_reset"||n=="ts_parser_parse_string" { for _,x:=range r.Functions[n].Findings { t.Log("  ##",n,x.Kind,x.Class,x.Way(),len(x.Path)) } };  f:=r.Functions[n]; x,bad:=f.Forbids(); o,open:=f.Open(); s:="proven"; if bad {s="FORBID "+string(x.Class)+" "+x.Way()} else if open {s="open "+string(o.Kind)+" "+string(o.Class)+" "+o.Way()}; t.Log(n,f.Stack,f.StackOpen,s) } } }
}

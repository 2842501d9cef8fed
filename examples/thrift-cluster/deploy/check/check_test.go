package check

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/prometheus/prometheus/promql/parser"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// settings are the names of the variables that a server reads.
func settings(t *testing.T) (list []string) {
	t.Helper()
	source := read(t, "../../server/config.go")
	m := regexp.MustCompile(`range \[\]string\{([^}]*)\}`).FindStringSubmatch(source)
	if m == nil {
		t.Fatal("server/config.go has no list of settings")
	}
	for _, key := range regexp.MustCompile(`\w+`).FindAllString(m[1], -1) {
		list = append(list, "ORDERS_"+strings.ToUpper(key))
	}
	if len(list) < 6 {
		t.Fatalf("the settings are %q", list)
	}
	return list
}

// image is what the Dockerfile says: variables, ports, and the user.
type image struct {
	env   map[string]string
	ports []string
	user  string
}

func dockerfile(t *testing.T) image {
	t.Helper()
	text := read(t, "../Dockerfile")
	i := image{env: map[string]string{}}
	for _, m := range regexp.MustCompile(`(?m)^ENV (.*)$`).FindAllStringSubmatch(text, -1) {
		for _, pair := range strings.Fields(m[1]) {
			name, value, _ := strings.Cut(pair, "=")
			i.env[name] = value
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^EXPOSE (.*)$`).FindAllStringSubmatch(text, -1) {
		i.ports = append(i.ports, strings.Fields(m[1])...)
	}
	if m := regexp.MustCompile(`--chown=(\d+):`).FindStringSubmatch(text); m != nil {
		i.user = m[1]
	}
	for name := range i.env {
		if !slices.Contains(settings(t), name) {
			t.Errorf("the Dockerfile sets %s, which no server reads", name)
		}
	}
	if len(i.env) < 3 || len(i.ports) != 2 || i.user == "" {
		t.Fatalf("the Dockerfile says %+v", i)
	}
	return i
}

// patience is how long a server takes to finish its calls at most, besides its grace.
func patience(t *testing.T) time.Duration {
	t.Helper()
	m := regexp.MustCompile(`patience = (\d+) \* time.Second`).FindStringSubmatch(read(t, "../../server/server.go"))
	if m == nil {
		t.Fatal("server/server.go has no patience")
	}
	d, err := time.ParseDuration(m[1] + "s")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decode decodes a document strictly: a field that is unknown, of another type or there twice
// is an error.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	return v
}

func TestKubernetes(t *testing.T) {
	var service core.Service
	var set apps.StatefulSet
	var budget policy.PodDisruptionBudget
	kinds := map[string]int{}
	for _, text := range strings.Split(read(t, "../kubernetes.yaml"), "\n---\n") {
		var head meta.TypeMeta
		if err := yaml.Unmarshal([]byte(text), &head); err != nil {
			t.Fatal(err)
		}
		kind := head.APIVersion + " " + head.Kind
		kinds[kind]++
		switch kind {
		case "v1 Service":
			service = decode[core.Service](t, text)
		case "apps/v1 StatefulSet":
			set = decode[apps.StatefulSet](t, text)
		case "policy/v1 PodDisruptionBudget":
			budget = decode[policy.PodDisruptionBudget](t, text)
		default:
			t.Errorf("what is %s?", kind)
		}
	}
	if len(kinds) != 3 || kinds["apps/v1 StatefulSet"] != 1 {
		t.Fatalf("there are %v", kinds)
	}
	pod := set.Spec.Template
	for what, selector := range map[string]*meta.LabelSelector{
		"StatefulSet": set.Spec.Selector, "PodDisruptionBudget": budget.Spec.Selector, "Service": {MatchLabels: service.Spec.Selector},
	} {
		s, err := meta.LabelSelectorAsSelector(selector)
		if err != nil || s.Empty() || !s.Matches(labels.Set(pod.Labels)) {
			t.Errorf("the %s selects %v, and pods have %v, %v", what, s, pod.Labels, err)
		}
	}
	if set.Spec.ServiceName != service.Name || service.Spec.ClusterIP != core.ClusterIPNone {
		t.Errorf("the StatefulSet's service is %s, there is %s with address %s", set.Spec.ServiceName, service.Name, service.Spec.ClusterIP)
	}
	if n := len(pod.Spec.Containers); n != 1 {
		t.Fatalf("%d containers", n)
	}
	c, i := pod.Spec.Containers[0], dockerfile(t)
	ports := map[string]int32{}
	for _, p := range c.Ports {
		ports[p.Name] = p.ContainerPort
	}
	if !strings.HasSuffix(i.env["ORDERS_LISTEN"], ":9090") || ports["thrift"] != 9090 || !strings.HasSuffix(i.env["ORDERS_ADMIN"], ":9091") || ports["admin"] != 9091 {
		t.Errorf("ports are %v, and the image has %v", ports, i.env)
	}
	for _, p := range service.Spec.Ports {
		if ports[p.Name] != p.Port {
			t.Errorf("the service's port %s is %d, and the container's %d", p.Name, p.Port, ports[p.Name])
		}
	}
	admin := read(t, "../../server/admin.go")
	for name, probe := range map[string]*core.Probe{"startup": c.StartupProbe, "readiness": c.ReadinessProbe, "liveness": c.LivenessProbe} {
		if probe == nil || probe.HTTPGet == nil || ports[probe.HTTPGet.Port.StrVal] == 0 || !strings.Contains(admin, `"`+probe.HTTPGet.Path+`"`) {
			t.Errorf("the %s probe asks for what there is not: %+v", name, probe)
		}
	}
	if pod.Annotations["prometheus.io/port"] != "9091" {
		t.Errorf("Prometheus is sent to port %s", pod.Annotations["prometheus.io/port"])
	}
	grace := 2 * time.Second
	for _, e := range c.Env {
		if e.Name != "KITEX_IP_TO_REGISTRY" && !slices.Contains(settings(t), e.Name) {
			t.Errorf("no server reads %s", e.Name)
		}
		if e.Name == "ORDERS_GRACE" {
			var err error
			if grace, err = time.ParseDuration(e.Value); err != nil {
				t.Error(err)
			}
		}
	}
	if s := pod.Spec.TerminationGracePeriodSeconds; s == nil || time.Duration(*s)*time.Second <= grace+patience(t) {
		t.Errorf("a pod has %v seconds to end; its server may take %v", s, grace+patience(t))
	}
	user := pod.Spec.SecurityContext
	if user == nil || user.RunAsUser == nil || decode[int64](t, i.user) != *user.RunAsUser || user.RunAsNonRoot == nil || !*user.RunAsNonRoot {
		t.Errorf("pods run as %+v, and the image's folder belongs to %s", user, i.user)
	}
	if len(c.VolumeMounts) != 1 || len(set.Spec.VolumeClaimTemplates) != 1 || c.VolumeMounts[0].Name != set.Spec.VolumeClaimTemplates[0].Name ||
		c.VolumeMounts[0].MountPath != filepath.Dir(i.env["ORDERS_JOURNAL"]) {
		t.Errorf("mounts are %+v, and the journal is %s", c.VolumeMounts, i.env["ORDERS_JOURNAL"])
	}
	if c.Resources.Limits.Memory().Cmp(*c.Resources.Requests.Memory()) < 0 {
		t.Error("a pod asks for more memory than it may have")
	}
}

// A manifest that has a mistake in it is not taken.
func TestStrict(t *testing.T) {
	good := read(t, "../kubernetes.yaml")
	for old, new := range map[string]string{
		"replicas: 3":                   "replica: 3",
		"serviceName: orders":           "serviceName: [orders]",
		"storage: 1Gi":                  "storage: 1Gigabyte",
		"httpGet: {path: /readyz, port": "httpGett: {path: /readyz, port",
		"containerPort: 9090":           "containerPort: thrift",
	} {
		if !strings.Contains(good, old) {
			t.Fatalf("there is no %q", old)
		}
		caught := false
		var set apps.StatefulSet
		for _, text := range strings.Split(strings.Replace(good, old, new, 1), "\n---\n") {
			if strings.Contains(text, "StatefulSet") && yaml.UnmarshalStrict([]byte(text), &set) != nil {
				caught = true
			}
		}
		if !caught {
			t.Errorf("%q passes", new)
		}
	}
}

func TestCompose(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{"../compose.yaml"}, cli.WithName("orders"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	orders, err := p.GetService("orders")
	if err != nil {
		t.Fatal(err)
	}
	for name := range orders.Environment {
		if !slices.Contains(settings(t), name) {
			t.Errorf("no server reads %s", name)
		}
	}
	if at := orders.Environment["ORDERS_PLACE"]; at == nil || *at != "cluster:etcd:2379" || p.Services["etcd"].Image == "" {
		t.Errorf("the place is %v", at)
	}
	for _, s := range p.Services {
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		} else if !regexp.MustCompile(`:v?\d+\.\d+\.\d+$`).MatchString(s.Image) {
			t.Errorf("%s is of no version: %s", s.Name, s.Image)
		}
		for _, v := range s.Volumes {
			if v.Type == "bind" {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
			}
		}
	}
	if d := orders.StopGracePeriod; d == nil || time.Duration(*d) <= 2*time.Second+patience(t) {
		t.Errorf("a server has %v to end", d)
	}
}

// What the dashboard asks for, Prometheus can parse.
func TestDashboard(t *testing.T) {
	var d struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ RefID, Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "../grafana.json")), &d); err != nil {
		t.Fatal(err)
	}
	ids, places := map[int]bool{}, map[[2]int]bool{}
	for _, p := range d.Panels {
		at := [2]int{p.GridPos.X, p.GridPos.Y}
		if ids[p.ID] || places[at] || p.GridPos.X+p.GridPos.W > 24 || p.GridPos.H == 0 || len(p.Targets) == 0 {
			t.Errorf("panel %s: %+v", p.Title, p)
		}
		ids[p.ID], places[at] = true, true
		for _, x := range p.Targets {
			if _, err := parser.ParseExpr(x.Expr); err != nil {
				t.Errorf("panel %s: %v", p.Title, err)
			}
		}
	}
	if len(d.Panels) < 11 {
		t.Errorf("%d panels", len(d.Panels))
	}
}

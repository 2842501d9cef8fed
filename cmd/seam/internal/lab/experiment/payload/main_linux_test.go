package payload

import (
	"os"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

func TestMain(m *testing.M) { os.Exit(labtest.InOwnCache(m)) }

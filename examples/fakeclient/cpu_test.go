package fakeclient

import (
	"syscall"
	"testing"
	"time"
)

func cpuNow() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

var cpuStart time.Duration

func startCPU(b *testing.B) { cpuStart = cpuNow() }
func reportCPU(b *testing.B) {
	b.ReportMetric(float64(cpuNow()-cpuStart)/1000/float64(b.N), "cpu-us/op")
}

package main

import (
	"runtime"
	"runtime/debug"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// version is that of the API that is served, which clients compare with their
// own, and of the build.
func version() server.VersionInfo {
	v := server.VersionInfo{
		Major: "1", Minor: "37", GitVersion: "v1.37.2+plinth",
		GitCommit: "unknown", BuildDate: "1970-01-01T00:00:00Z", // as in builds without version control
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.GitCommit = setting.Value
		case "vcs.time":
			v.BuildDate = setting.Value
		}
	}
	return v
}

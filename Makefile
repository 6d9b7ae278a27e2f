# The short way to everything: `make` lists it. Longer steps are scripts in tools/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo build test model check format tidy clean

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS
export DECANT_MODELS ?= $(CURDIR)/models
DECANT := build/release/bin/decant

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST) | expand -t 16

demo:  ## install what is missing, build, fetch the default model, and let it speak
	@tools/setup.sh core
	@tools/get_model.sh
	@[[ -f build/release/build.ninja ]] || cmake --preset release -DDECANT_TESTS=OFF >/dev/null
	@cmake --build build/release --target bin/decant -j $(JOBS)
	@tools/demo.sh

build:  ## the release build, tests included
	@tools/setup.sh core tests
	@cmake --preset release -DDECANT_TESTS=ON
	@cmake --build --preset release -j $(JOBS)

test: build model  ## build and run every test
	@tools/run_ctest.sh release

model:  ## the default model, in ./models
	@tools/setup.sh core
	@tools/get_model.sh

check:  ## the checks that need no build: layers, numerics, sizes, links, layout
	@tools/setup.sh core lint
	@tools/check.sh

format:  ## lay the C++ out with clang-format
	@tools/setup.sh lint
	@tools/format.sh

tidy:  ## clang-tidy over the sources
	@tools/setup.sh core tests lint
	@cmake --preset clang >/dev/null
	@tools/tidy.sh

clean:  ## remove build/ (the model stays)
	@rm -rf build

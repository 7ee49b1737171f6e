#!/usr/bin/env node
// Starts the cutline binary that npm installed for this platform. It passes on the arguments, stdin, stdout and stderr,
// and ends with the exit code or the signal of the binary.
//
// This script downloads nothing. The binary is in an optional dependency of this package.
'use strict';

const { spawn } = require('node:child_process');
const wrapper = require('../package.json');

const platform = `${process.platform}-${process.arch}`;
const platformPackage = `${wrapper.name}-${platform}`;

// Returns undefined if there is no package for this platform, or if npm skipped optional dependencies.
function binary() {
  try {
    return require.resolve(`${platformPackage}/bin/cutline`);
  } catch {
    return undefined;
  }
}

function fail(message) {
  process.stderr.write(`cutline: ${message}\n`);
  process.exit(1);
}

function whyMissing() {
  const platforms = Object.keys(wrapper.optionalDependencies);
  if (platforms.includes(platformPackage)) {
    return (
      `the package ${platformPackage} is not installed. npm leaves it out with --omit=optional, ` +
      `and where node_modules came from another system; install ${wrapper.name} again, here and without that.`
    );
  }
  const names = platforms.map((name) => name.slice(wrapper.name.length + 1)).join(', ');
  return `there is no binary for ${platform}. There are binaries for: ${names}.`;
}

function start(path) {
  // A client ends its server by closing stdin or with a signal to this process. The binary detects the closed stdin itself.
  // Signal handlers are installed before the binary starts, so that no signal is lost.
  let child;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child = spawn(path, process.argv.slice(2), { stdio: 'inherit' });
  child.on('error', (error) => fail(`${path} does not start: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    // Without a listener, the same signal ends this process too.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const path = binary();
if (path === undefined) {
  fail(whyMissing());
} else {
  start(path);
}

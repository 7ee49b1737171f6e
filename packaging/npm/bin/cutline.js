#!/usr/bin/env node
// Starts the cutline binary that npm installed for this platform, as if it had been started itself:
// the same arguments, the same stdin, stdout and stderr, its exit code or the signal that ended it.
//
// Nothing is downloaded here: the binary is in an optional dependency of this package.
'use strict';

const { spawn } = require('node:child_process');
const wrapper = require('../package.json');

const platform = `${process.platform}-${process.arch}`;
const platformPackage = `${wrapper.name}-${platform}`;

// Absent where npm left it out: there is none for this platform, or optional dependencies are off.
function binary() {
  const file = process.platform === 'win32' ? 'cutline.exe' : 'cutline';
  try {
    return require.resolve(`${platformPackage}/bin/${file}`);
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
  // A client ends its server by closing stdin, which the binary sees itself, or by a signal to this process:
  // also by one that comes while the binary starts, so it is listened for before that.
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
    // Without a listener the signal does here what it did there.
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

#!/usr/bin/env sh
# Fetch axe-core (MPL-2.0) from npm into .axe/, for the tests that look at pages as a screen reader
# does. It is never part of what is shipped; without it these tests are skipped, and say so.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .axe
npm pack --silent --pack-destination .axe axe-core@4.14.0 > /dev/null
tar -xzf .axe/axe-core-4.14.0.tgz -C .axe --strip-components=1 package/axe.min.js package/LICENSE
rm .axe/axe-core-4.14.0.tgz

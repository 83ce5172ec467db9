// What the wrappers in JavaScript share: the protocol of corpus/suite, for subjects that read a robots.txt.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const vm = require('vm');

const dir = process.env.SUITE_DIR || path.join(__dirname, '..', '..', 'target', 'suite');
const modules = path.join(dir, 'node_modules');

// An answer that takes longer than five seconds is a failure.
exports.within = (ask) => {
  globalThis.ask = ask;
  return vm.runInThisContext('ask()', { timeout: 5000 });
};

function body(input) {
  if (Math.floor((input.robots_status ?? 200) / 100) !== 2) return null;
  if (input.robots_b64 !== undefined) return Buffer.from(input.robots_b64, 'base64');
  return input.robots === undefined ? null : Buffer.from(input.robots);
}

// load(need) returns may(text, bot, url), or a promise of it; need(name) is require() in the place of installation,
// or import() of a file there.
exports.run = async (name, promises, load) => {
  if (process.argv.includes('--promises')) return console.log(promises.join('\n'));
  const manifest = path.join(modules, name, 'package.json');
  if (!fs.existsSync(manifest)) {
    console.error(`${name} is not installed in ${dir}`);
    process.exit(3);
  }
  if (process.argv.includes('--version')) return console.log(name, JSON.parse(fs.readFileSync(manifest)).version);
  const may = await load((it) => (it.endsWith('.js') ? import(path.join(modules, it)) : require(path.join(modules, it))));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const input = JSON.parse(line);
    const answer = { id: input.id };
    const robots = body(input);
    try {
      if (robots === null) answer.unsupported = true;
      else answer.uses = { enter: (await exports.within(() => may(robots.toString('utf8'), input.bot, input.url))) !== false };
    } catch (error) {
      answer.error = String(error).slice(0, 200);
    }
    fs.writeSync(1, JSON.stringify(answer) + '\n');
  }
};

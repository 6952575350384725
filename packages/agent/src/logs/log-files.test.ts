import { execFileSync } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { temporaryDirectory } from '../testing/agent-process.ts';
import { createAgentLog } from './agent-log.ts';
import { openLogArchive } from './log-archive.ts';
import { RotatingFile } from './rotating-file.ts';

test('logs have a bounded size and number; the oldest go', () => {
  const directory = join(temporaryDirectory(), 'new', 'logs');
  const file = new RotatingFile({ directory, maxFileBytes: 100, maxFiles: 3 });
  for (let line = 0; line < 50; line += 1) file.write(`line ${line} ${'.'.repeat(20)}\n`);
  file.close();
  const names = ['agent.1.log', 'agent.2.log', 'agent.log'];
  expect(readdirSync(directory).toSorted()).toEqual(names);
  for (const name of names) {
    expect(statSync(join(directory, name)).size).toBeLessThanOrEqual(100);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  }
  // The next process appends to the same file, and keeps fewer files if configured.
  const next = new RotatingFile({ directory, maxFileBytes: 100, maxFiles: 2 });
  next.write('next\n');
  expect(next.paths().map((path) => path.slice(directory.length + 1))).toEqual(['agent.1.log', 'agent.log']);
  const text = next
    .paths()
    .map((path) => readFileSync(path, 'utf8'))
    .join('');
  expect(text.endsWith(`line 49 ${'.'.repeat(20)}\nnext\n`)).toBe(true);
  next.close();
});

test('a level holds for the lines after it, of children too, and secrets are masked in whichever encoding', () => {
  let text = '';
  const { log, ...agentLog } = createAgentLog({ secrets: ['s3cr3t/value'], write: (line) => (text += line) });
  const child = log.child({ part: 'child' });
  child.debug('hidden');
  agentLog.setLevel('Debug');
  child.debug({ url: `http://h/?q=${encodeURIComponent('s3cr3t/value')}` }, 'shown');
  log.error({ err: new Error('login as s3cr3t/value failed'), basic: btoa('ann:s3cr3t/value') }, 'failed');
  agentLog.setLevel('Error');
  child.warn('quiet');
  expect(text).not.toContain('hidden');
  expect(text).not.toContain('quiet');
  expect(text).toContain('login as *** failed');
  for (const secret of ['s3cr3t/value', 's3cr3t%2Fvalue', btoa('ann:s3cr3t/value')])
    expect(text).not.toContain(secret);
});

/** Size, SHA-256 and date of each file. */
const zipContents = z.record(z.string(), z.tuple([z.int(), z.string(), z.array(z.int())]));

test('an archive has the files as they were when it was begun, and unzips', async () => {
  const directory = temporaryDirectory();
  const noise = randomBytes(3 * 1024 * 1024);
  const paths = ['agent.1.log', 'agent.log', 'empty.log'].map((name) => join(directory, name));
  writeFileSync(join(directory, 'agent.1.log'), noise);
  writeFileSync(join(directory, 'agent.log'), 'a line\n'.repeat(100_000));
  writeFileSync(join(directory, 'empty.log'), '');
  const archive = await openLogArchive(paths);
  writeFileSync(join(directory, 'agent.log'), 'later\n', { flag: 'a' });
  const zip = join(directory, 'logs.zip');
  await pipeline(Readable.from(archive), createWriteStream(zip));
  const unzipped = zipContents.parse(
    JSON.parse(
      execFileSync(
        'python3',
        [
          '-c',
          'import hashlib, json, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({i.filename: [i.file_size, hashlib.sha256(z.read(i)).hexdigest(), list(i.date_time)[:3]] for i in z.infolist()}))',
          zip,
        ],
        { encoding: 'utf8' },
      ),
    ),
  );
  const expected = (bytes: Buffer) => [bytes.length, createHash('sha256').update(bytes).digest('hex')];
  const now = new Date();
  const day = [now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()];
  expect(unzipped).toEqual({
    'agent.1.log': [...expected(noise), day],
    'agent.log': [...expected(Buffer.from('a line\n'.repeat(100_000))), expect.anything()],
    'empty.log': [...expected(Buffer.alloc(0)), expect.anything()],
  });
});

test('an archive of a file that is gone is refused, and one that nobody reads to its end closes its files', async () => {
  const directory = temporaryDirectory();
  await expect(openLogArchive([join(directory, 'gone.log')])).rejects.toThrow('ENOENT');
  const path = join(directory, 'agent.log');
  writeFileSync(path, randomBytes(1024 * 1024));
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  for (const reads of [0, 1]) {
    const archive = (await openLogArchive([path]))[Symbol.asyncIterator]();
    for (let read = 0; read < reads; read += 1) await archive.next();
    expect(open()).toBe(before + 1);
    await archive.return?.();
    expect(open()).toBe(before);
  }
  // A delivery that fails before it reads anything.
  const unread = Readable.from(await openLogArchive([path]));
  unread.on('error', () => undefined).destroy(new Error('no connection'));
  await expect.poll(open).toBe(before);
});

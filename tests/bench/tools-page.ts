// `npm run bench -- tools-page`: `GET /v1/tools?top=100` beside the same bytes from a bare express route, and a search among ten thousand
// tools beside `GET /v1/tools?top=10`: the processor time of all processes, and the latency. Options: --rounds, --seconds, --callers,
// --tools; an account may have four searches wait, and so `--callers` is four at most.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { processTree } from '../faults/support/processes.ts';
import { startStack } from '../setup/start-stack.ts';
import { startChild } from './child.ts';
import { enlargeCatalogue } from './large-catalogue.ts';
import { measure } from './measure.ts';
import type { Measurement, Sample } from './measure.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '4' },
    tools: { type: 'string', default: '10000' },
  },
});
const callers = Number(values.callers);
/** More than are called in a round. */
const QUERIES_A_ROUND = 2_000;
const VERBS = ['create', 'list', 'update', 'delete', 'find', 'send', 'share', 'cancel', 'export', 'approve'];
const WHOSE = ['a', 'the', 'my', 'all', 'every', 'our'];
const NOUNS = ['invoice', 'contact', 'file', 'event', 'message', 'ticket', 'order', 'task', 'page', 'report'];
const LINKS = ['of', 'for', 'with', 'from', 'in'];
const ENDS = ['customer', 'project', 'team', 'channel', 'folder', 'calendar', 'board', 'account', 'shop'];
const SEARCH_PARTS = [VERBS, WHOSE, NOUNS, LINKS, WHOSE, ENDS];

const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-tools-page-'));
const start = () => startStack({ data: join(folder, 'stack'), env: { CATALOGUE_SOURCES: 'fetched' } });
const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  const first = await start();
  await first.stop();
  await enlargeCatalogue(join(folder, 'stack', 'catalogue.json'), Number(values.tools));
  const { stack, stop } = await start();
  stops.push(stop);
  const headers = { 'x-api-key': stack.account.apiKey };
  const generator = await startChild('load-generator', { args: [] });
  stops.push(() => generator.stop());

  const pageOf = async (top: number) => {
    const url = `${stack.baseUrl}/v1/tools?top=${String(top)}`;
    const bytes = Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
    const file = join(folder, `${String(top)}.json`);
    await writeFile(file, bytes);
    const bare = await startChild('express-bytes', { args: [file] });
    stops.push(() => bare.stop());
    return { url, bytes: bytes.length, bare };
  };
  const hundred = await pageOf(100);
  const ten = await pageOf(10);
  let asked = 0;
  const searches = (): string[] =>
    Array.from({ length: QUERIES_A_ROUND }, () => `?top=10&search=${encodeURIComponent(queryAt(asked++))}`);
  const durationMs = Number(values.seconds) * 1_000;
  const subject = (name: string, url: string, queries?: () => string[]) => ({
    name,
    pid: stack.pid,
    run: (ms: number) =>
      generator.request({
        url,
        headers,
        callers,
        durationMs: ms,
        ...(queries !== undefined && { queries: queries() }),
      }),
  });
  const bare = (name: string, { bare: child }: typeof ten) => ({
    name,
    pid: child.pid,
    run: (ms: number) =>
      generator.request({ url: child.hello.url, headers: {}, body: '{}', callers, durationMs: ms }),
  });
  const measured = await measure(
    [
      subject(`GET /v1/tools?top=100 (${String(hundred.bytes)} bytes)`, hundred.url),
      bare('bare express, the same bytes', hundred),
      subject(`GET /v1/tools?top=10 (${String(ten.bytes)} bytes)`, ten.url),
      bare('bare express, the same bytes', ten),
      subject('a search, top=10', ten.url, searches),
      subject('a search that was made before', ten.url, () => ['?top=10&search=send+a+message']),
    ],
    { rounds: Number(values.rounds), durationMs },
  );
  console.log(report(measured));
  for (const pid of processTree(stack.pid)) {
    const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
    const line = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8');
    if (line.includes('services/catalog'))
      console.log(`\ncatalog: ${/VmRSS:\s*(.*)/.exec(status)?.[1] ?? ''}`);
  }
} finally {
  for (const stop of stops.toReversed()) await stop();
}

/** The `n`-th search; all are different. */
function queryAt(n: number): string {
  let left = n;
  return SEARCH_PARTS.map((words) => {
    const word = words[left % words.length] ?? '';
    left = Math.floor(left / words.length);
    return word;
  }).join(' ');
}

function report(measured: readonly Measurement[]): string {
  const middle = (at: number, member: keyof Sample): number =>
    median(measured[at]?.rounds.map((sample) => sample[member]) ?? []);
  /** Against each subject's baseline. */
  const baselines = [1, 1, 3, 3, 2, 2];
  return table(
    ['', 'CPU µs a call, all processes', 'ratio', 'p50 ms', 'ratio'],
    measured.map(({ name }, at) => {
      const base = baselines[at] ?? at;
      return [
        name,
        middle(at, 'cpu').toFixed(0),
        (middle(at, 'cpu') / middle(base, 'cpu')).toFixed(2),
        middle(at, 'p50Ms').toFixed(2),
        (middle(at, 'p50Ms') / middle(base, 'p50Ms')).toFixed(2),
      ];
    }),
  );
}

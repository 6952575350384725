// `npm run bench -- catalogue`: what the whole catalogue costs. A warm start of the stack with all applications beside one with those of
// Fairlead itself only, in turn; and `GET /v1/tools?top=100` beside the same bytes from a bare express route.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  readCatalogueFile,
  readCatalogueInputs,
  writeCatalogueFile,
} from '@fairlead/connector-model/catalogue-file';
import { startStack } from '../setup/start-stack.ts';
import { startChild } from './child.ts';
import { measure } from './measure.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '8' },
  },
});
const rounds = Number(values.rounds);

/** The applications that were there before vendors' ones, the platform's own among them. */
const FEW = new Set([
  'fairlead',
  'http',
  'http-webhook',
  'mcp',
  'onprem-database',
  'onprem-files',
  'onprem-http',
  'postgresql',
  'sandbox-crm',
  'schedule',
]);
const SIDES = ['few', 'all'] as const;
type Side = (typeof SIDES)[number];

const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-catalogue-'));
const start = (side: Side) => startStack({ data: join(folder, side), env: { CATALOGUE_SOURCES: 'fetched' } });
const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  const seconds: Record<Side, number[]> = { few: [], all: [] };
  for (let round = 0; round <= rounds; round += 1)
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
      const startedAt = performance.now();
      const { stop } = await start(side);
      if (round > 0) seconds[side].push((performance.now() - startedAt) / 1_000);
      await stop();
      if (round === 0 && side === 'few') await keepFew(join(folder, side, 'catalogue.json'));
    }
  const ratio = median(seconds.all) / median(seconds.few);
  console.log(
    table(
      ['warm start', 'seconds'],
      [
        ...SIDES.map((side) => [`${side} applications`, median(seconds[side]).toFixed(1)]),
        ['ratio', ratio.toFixed(2)],
      ],
    ),
  );

  const { stack, stop } = await start('all');
  stops.push(stop);
  const url = `${stack.baseUrl}/v1/tools?top=100`;
  const headers = { 'x-api-key': stack.account.apiKey };
  const bytes = Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
  const file = join(folder, 'tools.json');
  await writeFile(file, bytes);
  const bare = await startChild('express-bytes', { args: [file] });
  stops.push(() => bare.stop());
  const generator = await startChild('load-generator', { args: [] });
  stops.push(() => generator.stop());
  const callers = Number(values.callers);
  const [ours, theirs] = await measure(
    [
      {
        name: 'GET /v1/tools?top=100',
        pid: stack.pid,
        run: (durationMs) => generator.request({ url, headers, callers, durationMs }),
      },
      {
        name: 'bare express',
        pid: bare.pid,
        run: (durationMs) =>
          generator.request({ url: bare.hello.url, headers: {}, body: '{}', callers, durationMs }),
      },
    ],
    { rounds, durationMs: Number(values.seconds) * 1_000 },
  );
  if (ours === undefined || theirs === undefined) throw new Error('Not both were measured.');
  const cpu = ({ rounds: of }: typeof ours): number => median(of.map((sample) => sample.cpu));
  const waited = ({ rounds: of }: typeof ours): number => median(of.map((sample) => sample.p50Ms));
  console.log(
    table(
      [`${String(bytes.length)} bytes`, 'CPU µs a call, all processes', 'p50 ms'],
      [
        ...[ours, theirs].map((each) => [each.name, cpu(each).toFixed(0), waited(each).toFixed(1)]),
        ['ratio', (cpu(ours) / cpu(theirs)).toFixed(2), (waited(ours) / waited(theirs)).toFixed(2)],
      ],
    ),
  );
} finally {
  for (const stop of stops.toReversed()) await stop();
}

/** Leaves few applications in a compiled catalogue, which counts as up to date as before. */
async function keepFew(path: string): Promise<void> {
  const inputs = await readCatalogueInputs(path);
  if (inputs === undefined) throw new Error('The catalogue is not complete: is there a network?');
  const connectors = await readCatalogueFile(path);
  await writeCatalogueFile(
    path,
    connectors.filter(({ slug }) => FEW.has(slug)),
    inputs,
  );
}

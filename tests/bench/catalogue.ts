// `npm run bench -- catalogue`: the cost of the whole catalogue. Alternates warm starts of a stack with all applications and of one with
// only Fairlead's own. For lists and searches see `npm run bench -- tools-page`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  readCatalogueFile,
  readCatalogueInputs,
  writeCatalogueFile,
} from '@fairlead/connector-model/catalogue-file';
import { startStack } from '../setup/start-stack.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
  },
});
const rounds = Number(values.rounds);

/** The applications before vendors' descriptions were imported, the platform's own included. */
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
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Reduces a compiled catalogue to a few applications; it still counts as up to date. */
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

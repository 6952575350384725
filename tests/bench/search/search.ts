// `npm run bench -- search`: the recall of the search of tools, and the costs of a search among ten thousand of them. The vendors'
// descriptions are kept in the cache of this machine.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { searchTextOf } from '@fairlead-services/catalog/domain/application-list';
import { createMeaningIndex } from '@fairlead-services/catalog/search/meaning-index';
import { readWordVectors } from '@fairlead-services/catalog/search/word-vectors';
import { readCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import type { SearchIndex, SearchText } from '@fairlead/lexical-index/search-index';
import { storeSettings } from '@fairlead/local-stores/config';
import { median } from '../statistics.ts';
import { table } from '../table.ts';
import { createBm25 } from './bm25.ts';
import { LANGUAGES, labelledQueries } from './labelled-queries.ts';
import { measureRecall } from './recall.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MANY_TOOLS = 10_000;

await measureSearch();

async function measureSearch(): Promise<void> {
  const cache = storeSettings().cacheDirectory;
  const catalogue = join(cache, 'search-bench', 'catalogue.json');
  await run('packages/connector-model/src/cli.ts', [
    '--connectors',
    join(ROOT, 'connectors'),
    '--out',
    catalogue,
    '--sources',
    join(cache, 'catalogue'),
  ]);
  const texts = (await readCatalogueFile(catalogue)).flatMap((connector) =>
    connector.tools.map((tool) => searchTextOf(connector, tool)),
  );
  const createIndex = createMeaningIndex({ platform: () => texts, vectors: await readWordVectors() });
  console.log(`${String(texts.length)} tools\n`);
  console.log(await describeRecall(texts, createIndex(texts, itself)));
  const many = Array.from({ length: MANY_TOOLS }, (_, at) => copyOf(texts, at));
  console.log(`\n${await describeCosts(createIndex(many, itself))}`);
}

async function describeRecall(texts: readonly SearchText[], index: SearchIndex<SearchText>): Promise<string> {
  const bm25 = createBm25(texts.map((text) => Object.values(text).join(' ').replaceAll('-', ' ')));
  const rows: string[][] = [];
  for (const language of LANGUAGES) {
    const all = labelledQueries(language);
    for (const [name, queries] of [
      ['tuned with', all.filter((_, at) => at % 2 === 0)],
      ['held out', all.filter((_, at) => at % 2 === 1)],
    ] as const) {
      const own = await measureRecall(queries, (query) => slugsFound(index, query));
      const words = await measureRecall(queries, (query) => bm25(query).map((at) => texts[at]?.slug ?? ''));
      const figures = [
        own.recall,
        words.recall,
        own.recall / words.recall,
        own.recallOfAll,
        own.answered,
        words.answered,
      ];
      rows.push([`${language}, ${name}`, ...figures.map((figure) => figure.toFixed(2))]);
    }
  }
  return table(['queries', 'recall@10', 'BM25', 'ratio', 'of all accepted', 'answered', 'BM25'], rows);
}

async function describeCosts(index: SearchIndex<SearchText>): Promise<string> {
  await slugsFound(index, 'first');
  const cpu: number[] = [];
  const wall: number[] = [];
  for (const { text } of labelledQueries('en')) {
    const startedAt = performance.now();
    const before = process.cpuUsage();
    await index.search(`${text} please`);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
    wall.push(performance.now() - startedAt);
  }
  const memory = process.memoryUsage.rss() / 1e6;
  return table(
    [`a search among ${String(MANY_TOOLS)} tools`, 'median'],
    [
      ['processor time', `${median(cpu).toFixed(1)} ms`],
      ['time', `${median(wall).toFixed(1)} ms`],
      ['memory of this process', `${memory.toFixed(0)} MB`],
    ],
  );
}

async function slugsFound(index: SearchIndex<SearchText>, query: string): Promise<readonly string[]> {
  const hits = await index.search(query);
  return hits.toSorted((a, b) => b.score - a.score).map(({ item }) => item.slug);
}

/** The tools repeatedly, each copy with another name. */
function copyOf(texts: readonly SearchText[], at: number): SearchText {
  const text = texts[at % texts.length];
  if (text === undefined) throw new Error('The catalogue has no tools.');
  const copy = Math.floor(at / texts.length);
  return copy === 0
    ? text
    : { ...text, slug: `${text.slug}-${String(copy)}`, name: `${text.name} ${String(copy)}` };
}

function itself<T>(item: T): T {
  return item;
}

async function run(script: string, args: readonly string[]): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, script), ...args]);
  process.stdout.write(stdout);
}

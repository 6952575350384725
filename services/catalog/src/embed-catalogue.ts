// `node services/catalog/src/embed-catalogue.ts <catalogue file>` writes the embeddings of its items beside it, so that no replica has to
// compute them. Existing embeddings are kept.
import { readCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createApplicationList } from './domain/application-list.ts';
import { createEmbedder } from './search/embedder.ts';
import { vectorFileOf } from './search/vector-file.ts';
import { openVectorFile } from './search/vector-store.ts';
import { meaningfulText, vectorKey } from './search/vectors.ts';

const [path = ''] = process.argv.slice(2);
const log = createLogger({ service: 'catalog', level: 'info', destination: process.stderr });
const now = systemClock.now();
const applications = (await readCatalogueFile(path)).map((connector) => ({
  owner: 'platform' as const,
  connector,
  toolCount: connector.tools.length,
  createdAt: now,
  updatedAt: now,
}));
const texts = new Set<string>();
const list = createApplicationList(applications, (items, textOf) => {
  for (const item of items) texts.add(meaningfulText(textOf(item)));
  return { search: () => Promise.resolve([]) };
});
list.applicationIndex();
list.toolIndex();
list.triggerTypeIndex();

const vectors = openVectorFile(vectorFileOf(path), log);
const embedder = createEmbedder({ clock: systemClock, log, charge: () => {} });
await vectors.ready();
const missing = [...texts].filter((text) => vectors.get(vectorKey(text)) === undefined);
let found = 0;
await embedder.embed('', missing, (at, vector) => {
  vectors.set(vectorKey(missing[at] ?? ''), vector);
  found += 1;
});
await vectors.save();
await embedder.close();
process.stdout.write(`${texts.size} texts of the catalogue have vectors, ${found} of them new\n`);
if (found < missing.length) process.exitCode = 1;

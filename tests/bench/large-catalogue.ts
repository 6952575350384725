import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { vectorFileOf } from '@fairlead-services/catalog/search/vector-file';
import {
  readCatalogueFile,
  readCatalogueInputs,
  writeCatalogueFile,
} from '@fairlead/connector-model/catalogue-file';
import type { Connector } from '@fairlead/connector-model/model';
import { storeSettings } from '@fairlead/local-stores/config';

const EMBED = fileURLToPath(new URL('../../services/catalog/src/embed-catalogue.ts', import.meta.url));

/**
 * Adds copies of its applications to a compiled catalogue until it has `count` tools, and computes all their vectors, which are cached on
 * this machine. The catalogue still counts as up to date.
 */
export async function enlargeCatalogue(path: string, count: number): Promise<void> {
  const inputs = await readCatalogueInputs(path);
  if (inputs === undefined) throw new Error('The catalogue is not complete: is there a network?');
  const shipped = await readCatalogueFile(path);
  const connectors: Connector[] = [...shipped];
  let left = count - shipped.reduce((sum, { tools }) => sum + tools.length, 0);
  for (let copy = 2; left > 0; copy += 1)
    for (const connector of shipped) {
      const enlarged = copyOf(connector, String(copy), left);
      left -= enlarged.tools.length;
      if (enlarged.tools.length > 0) connectors.push(enlarged);
    }
  await writeCatalogueFile(path, connectors, inputs);
  const kept = join(storeSettings().cacheDirectory, 'search-bench', 'large.vectors');
  await copyFile(kept, vectorFileOf(path)).catch(() => {});
  const { stdout } = await promisify(execFile)(process.execPath, [EMBED, path]);
  process.stdout.write(stdout);
  await copyFile(vectorFileOf(path), kept);
}

/** The application under another name, with at most `most` tools. */
function copyOf(connector: Connector, copy: string, most: number): Connector {
  const slug = `${connector.slug}-${copy}`;
  return {
    ...connector,
    slug,
    name: `${connector.name} ${copy}`,
    triggerTypes: [],
    tools: connector.tools.slice(0, Math.max(most, 0)).map((tool) => ({
      ...tool,
      toolSlug: tool.toolSlug.replace(connector.slug, slug),
      aliases: [],
    })),
  };
}

import {
  readCatalogueFile,
  readCatalogueInputs,
  writeCatalogueFile,
} from '@fairlead/connector-model/catalogue-file';
import type { Connector } from '@fairlead/connector-model/model';

/** Adds copies of its applications to a compiled catalogue until it has `count` tools. The catalogue still counts as up to date. */
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

import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readCatalogueInputs, writeCatalogueFile } from './catalogue-file.ts';
import { ALL_DESCRIPTIONS, digestOfInputs } from './catalogue-inputs.ts';
import type { DescriptionsUsed } from './catalogue-inputs.ts';
import { compileCatalogue, compileConnectors, formatProblem, sourcesOf } from './compile.ts';
import type { ReadDescription } from './compile.ts';
import type { Icons } from './logo.ts';
import { manifestJsonSchema } from './manifest.ts';
import { leftOutText, lettersText } from './left-out.ts';
import { openDescriptionStore } from './sources/description-store.ts';
import { openIconStore } from './sources/icon-store.ts';

const USAGE = `Usage:
  node cli.ts --connectors <dir>… --out <file>   compile every <dir>/<slug>/connector.yaml into a catalogue file
      --sources <dir>                            also those made of vendors' descriptions, which are kept in <dir>; the
                                                 ones that are not there are fetched from the package registries
  node cli.ts --schema <file>                    write the JSON Schema of manifests
`;

/** Runs the command line in `args` and returns the exit code: 0 success, 1 invalid manifest, 2 invalid usage. */
async function run(args: readonly string[]): Promise<number> {
  const { connectors, out, schema, sources } = parse(args) ?? {};
  if (schema !== undefined && connectors === undefined && out === undefined) {
    await writeFile(schema, `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`);
    return 0;
  }
  if (connectors === undefined || out === undefined || schema !== undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const isUpToDate = async (inputs: string): Promise<boolean> => {
    if ((await readCatalogueInputs(out)) !== inputs) return false;
    process.stdout.write(`${out} is up to date\n`);
    return true;
  };
  const whole = await digestOfInputs(connectors, sources === undefined ? 'none' : ALL_DESCRIPTIONS);
  if (await isUpToDate(whole)) return 0;
  const fetched = sources === undefined ? undefined : await fetchSources(connectors, sources);
  const inputs = fetched === undefined ? whole : await digestOfInputs(connectors, fetched.used);
  if (inputs !== whole && (await isUpToDate(inputs))) return 0;
  const result = await (fetched === undefined
    ? compileConnectors(...connectors)
    : compileCatalogue(
        connectors,
        fetched.read,
        fetched.icons === undefined ? {} : { icons: fetched.icons },
      ));
  if (!result.ok) {
    process.stderr.write(`${result.problems.map(formatProblem).join('\n')}\n`);
    return 1;
  }
  await writeCatalogueFile(out, result.connectors, inputs);
  const tools = result.connectors.reduce((sum, connector) => sum + connector.tools.length, 0);
  process.stdout.write(
    `${String(result.connectors.length)} connectors with ${String(tools)} tools compiled to ${out}\n`,
  );
  return 0;
}

interface FetchedSources {
  readonly used: DescriptionsUsed;
  readonly read: ReadDescription;
  readonly icons: Icons | undefined;
}

/** A failed fetch is only reported: without a network, the other applications are still served, with letters as logos. */
async function fetchSources(connectors: readonly string[], directory: string): Promise<FetchedSources> {
  const store = openDescriptionStore(directory);
  const iconStore = openIconStore(directory);
  const sources = await sourcesOf(connectors);
  const [failures, iconFailure] = await Promise.all([store.fetchMissing(sources), iconStore.fetchMissing()]);
  const missing: string[] = [];
  for (const source of sources) if (!(await store.has(source))) missing.push(source.slug);
  if (missing.length > 0) process.stdout.write(`${leftOutText(missing, failures)}\n`);
  const icons = await iconStore.read();
  if (icons === undefined) process.stdout.write(`${lettersText(iconFailure)}\n`);
  return { used: { missing, hasIcons: icons !== undefined }, read: store.read, icons };
}

function parse(
  args: readonly string[],
): { connectors?: string[]; out?: string; schema?: string; sources?: string } | undefined {
  const option = { type: 'string' } as const;
  try {
    const options = {
      connectors: { ...option, multiple: true },
      out: option,
      schema: option,
      sources: option,
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return undefined;
  }
}

process.exitCode = await run(process.argv.slice(2));

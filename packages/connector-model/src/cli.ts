import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readCatalogueInputs, writeCatalogueFile } from './catalogue-file.ts';
import { digestOfInputs } from './catalogue-inputs.ts';
import { compileCatalogue, compileConnectors, formatProblem, sourcesOf } from './compile.ts';
import type { CompileResult } from './compile.ts';
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
  const inputs = await digestOfInputs(connectors, sources !== undefined);
  if ((await readCatalogueInputs(out)) === inputs) {
    process.stdout.write(`${out} is up to date\n`);
    return 0;
  }
  const result = await (sources === undefined
    ? compileConnectors(...connectors).then((compiled) => ({ ...compiled, hasIcons: false }))
    : compileWithSources(connectors, sources));
  if (!result.ok) {
    process.stderr.write(`${result.problems.map(formatProblem).join('\n')}\n`);
    return 1;
  }
  const isComplete = sources === undefined || (result.left.length === 0 && result.hasIcons);
  await writeCatalogueFile(out, result.connectors, isComplete ? inputs : undefined);
  const tools = result.connectors.reduce((sum, connector) => sum + connector.tools.length, 0);
  process.stdout.write(
    `${String(result.connectors.length)} connectors with ${String(tools)} tools compiled to ${out}\n`,
  );
  return 0;
}

/** Without a network the other applications are served, with letters as logos, so a failure to fetch is reported only. */
async function compileWithSources(
  connectors: readonly string[],
  directory: string,
): Promise<CompileResult & { readonly hasIcons: boolean }> {
  const store = openDescriptionStore(directory);
  const iconStore = openIconStore(directory);
  const [failures, iconFailure] = await Promise.all([
    store.fetchMissing(await sourcesOf(connectors)),
    iconStore.fetchMissing(),
  ]);
  const icons = await iconStore.read();
  const result = await compileCatalogue(connectors, store.read, icons === undefined ? {} : { icons });
  if (result.ok && result.left.length > 0) {
    process.stdout.write(`${leftOutText(result.left, failures)}\n`);
  }
  if (icons === undefined) process.stdout.write(`${lettersText(iconFailure)}\n`);
  return { ...result, hasIcons: icons !== undefined };
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

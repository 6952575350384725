import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { writeCatalogueFile } from './catalogue-file.ts';
import { compileConnectors, formatProblem } from './compile.ts';
import { manifestJsonSchema } from './manifest.ts';

const USAGE = `Usage:
  node cli.ts --connectors <dir>… --out <file>   compile every <dir>/<slug>/connector.yaml into a catalogue file
  node cli.ts --schema <file>                    write the JSON Schema of manifests
`;

/** Runs the command line in `args` and returns the exit code: 0 success, 1 invalid manifest, 2 invalid usage. */
async function run(args: readonly string[]): Promise<number> {
  const { connectors, out, schema } = parse(args) ?? {};
  if (schema !== undefined && connectors === undefined && out === undefined) {
    await writeFile(schema, `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`);
    return 0;
  }
  if (connectors === undefined || out === undefined || schema !== undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const result = await compileConnectors(...connectors);
  if (!result.ok) {
    process.stderr.write(`${result.problems.map(formatProblem).join('\n')}\n`);
    return 1;
  }
  await writeCatalogueFile(out, result.connectors);
  process.stdout.write(`${String(result.connectors.length)} connectors compiled to ${out}\n`);
  return 0;
}

function parse(
  args: readonly string[],
): { connectors?: string[]; out?: string; schema?: string } | undefined {
  const option = { type: 'string' } as const;
  try {
    const options = { connectors: { ...option, multiple: true }, out: option, schema: option } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return undefined;
  }
}

process.exitCode = await run(process.argv.slice(2));

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repeatInBackground } from '../lifecycle/background.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createCanaries } from './canaries.ts';
import type { Canaries } from './canaries.ts';
import { rulesRefused } from './metrics.ts';
import { parseCanaryRules } from './rules.ts';

const FILE = 'rules.json';
/** A mounted ConfigMap is replaced by a symbolic link, which not every file system reports. */
const EVERY_MS = 1_000;

/** Canaries whose rules are read until they are closed. */
interface OpenCanaries extends Canaries {
  close(): Promise<void>;
}

/**
 * Canaries by the file `rules.json` in `folder`, which is read again every second. Rules that cannot be read are logged
 * and counted once, and the former ones stay: at first, none.
 */
export async function openCanaries(
  folder: string,
  { log, everyMs = EVERY_MS }: { readonly log: Logger; readonly everyMs?: number },
): Promise<OpenCanaries> {
  const canaries = createCanaries();
  // There from the start: Prometheus sees no increase in a counter that begins at 1.
  const refused = rulesRefused.series();
  let known: string | undefined;

  async function read(): Promise<void> {
    // The message of a failure takes the place of the text, and is refused as such.
    const text = await readFile(join(folder, FILE), 'utf8').catch(String);
    if (text === known) return;
    known = text;
    try {
      const rules = parseCanaryRules(text);
      canaries.setRules(rules);
      log.info({ services: [...rules.keys()] }, 'the rules of canaries are read');
    } catch (error) {
      refused.add();
      log.error({ err: error }, 'the rules of canaries are refused, and the former ones stay');
    }
  }

  await read();
  const repeated = repeatInBackground({ name: 'rules of canaries', everyMs, log, work: read });
  return { ...canaries, close: () => repeated.close() };
}

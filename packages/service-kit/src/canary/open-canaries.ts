import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repeatInBackground } from '../lifecycle/background.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createConfigurableCanaries } from './canaries.ts';
import type { Canaries } from './canaries.ts';
import { rulesRefused } from './metrics.ts';
import { parseCanaryRules } from './rules.ts';

const FILE = 'rules.json';
/** Polling interval: the kubelet replaces a symbolic link, which not every file system reports. */
const EVERY_MS = 1_000;

/** Canaries whose rules are polled until closed. */
interface OpenCanaries extends Canaries {
  close(): Promise<void>;
}

/**
 * Canaries by the file `rules.json` in `folder`, which is read every second. Invalid or unreadable rules are logged
 * and counted once, and the previous rules stay (initially none).
 */
export async function openCanaries(
  folder: string,
  { log, everyMs = EVERY_MS }: { readonly log: Logger; readonly everyMs?: number },
): Promise<OpenCanaries> {
  const canaries = createConfigurableCanaries();
  // Created at the start, because Prometheus sees no increase in a counter that begins at 1.
  const refused = rulesRefused.series();
  let known: string | undefined;

  async function read(): Promise<void> {
    // The failure's message replaces the text, and is then refused as invalid.
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

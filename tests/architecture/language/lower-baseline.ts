import { readFileSync, writeFileSync } from 'node:fs';
import { countRiddles } from './riddles.ts';

const FILE = new URL('baseline.json', import.meta.url);

/** Maximum number of such sentences per area; an unlisted area may have none. */
export function readBaseline(): Readonly<Record<string, number>> {
  // Written below.
  return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>;
}

if (import.meta.main) {
  const baseline = readBaseline();
  const lower = Object.entries(countRiddles())
    .map(([area, count]) => [area, Math.min(count, baseline[area] ?? 0)] as const)
    .filter(([, count]) => count > 0);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(lower), null, 2)}\n`);
}

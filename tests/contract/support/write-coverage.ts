import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { coveragePage } from './coverage.ts';

writeFileSync(fileURLToPath(new URL('../../../docs/contract-coverage.md', import.meta.url)), coveragePage());

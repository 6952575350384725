import { writeFileSync } from 'node:fs';
import { limitsPage } from './page.ts';

writeFileSync(new URL('../../../docs/limits.md', import.meta.url), await limitsPage());

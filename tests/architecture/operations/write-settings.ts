import { readFileSync, writeFileSync } from 'node:fs';
import { settingsTable, withTable } from './settings.ts';

const PAGE = new URL('../../../docs/production.md', import.meta.url);

writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), await settingsTable()));

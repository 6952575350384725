// Writes the chart's generated files. `npm run generate` runs it.
import { writeFileSync } from 'node:fs';
import { chartFile } from './chart-folder.ts';
import { servicesFile } from './service-facts.ts';

writeFileSync(chartFile('files/services.json'), servicesFile());

// Writes the chart's generated files; run by `npm run generate`.
import { writeFileSync } from 'node:fs';
import { chartFile } from './chart-folder.ts';
import { readmeFile } from './readme.ts';
import { servicesFile } from './service-facts.ts';
import { valuesSchemaFile } from './values-schema.ts';

writeFileSync(chartFile('files/services.json'), servicesFile());
writeFileSync(chartFile('values.schema.json'), valuesSchemaFile());
writeFileSync(chartFile('README.md'), readmeFile());

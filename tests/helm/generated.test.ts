import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { chartFile } from './chart/chart-folder.ts';
import { readmeFile } from './chart/readme.ts';
import { servicesFile } from './chart/service-facts.ts';
import { valuesSchemaFile } from './chart/values-schema.ts';

it.each([
  ['files/services.json', servicesFile],
  ['values.schema.json', valuesSchemaFile],
  ['README.md', readmeFile],
])('%s is current: npm run generate writes it', async (name, generate) => {
  const file = chartFile(name);
  const settings = await resolveConfig(file);
  expect(readFileSync(file, 'utf8')).toBe(await format(generate(), { ...settings, filepath: file }));
});

it('the chart has the version of the project', () => {
  const version = z.object({ version: z.string() });
  const project = version.parse(
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
  );
  const chart = z
    .object({ version: z.string(), appVersion: z.string() })
    .parse(parse(readFileSync(chartFile('Chart.yaml'), 'utf8')));
  expect(chart).toEqual({ version: project.version, appVersion: project.version });
});

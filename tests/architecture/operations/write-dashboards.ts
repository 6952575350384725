import { writeFileSync } from 'node:fs';
import { DASHBOARDS, grafanaJson } from './dashboards.ts';

const folder = new URL('../../../deploy/helm/fairlead/files/dashboards/', import.meta.url);
for (const dashboard of DASHBOARDS)
  writeFileSync(new URL(`${dashboard.name}.json`, folder), grafanaJson(dashboard));

import { readFileSync } from 'node:fs';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { expect, it } from 'vitest';
import { newSecrets } from './secrets.ts';
import { ownSecretVariables } from './variables.ts';

const own = ownSecretVariables(newSecrets());

it.each(['gateway', ...SERVICE_NAMES] as const)('%s reads each secret that is generated for it', (name) => {
  const variables = own[name] ?? {};
  const config = readFileSync(new URL(`../../../services/${name}/src/config.ts`, import.meta.url), 'utf8');
  for (const variable of Object.keys(variables)) {
    const read = variable === 'SEALING_KEYS' ? 'sealingConfigShape' : `${variable}:`;
    expect(config).toContain(read);
  }
  expect(config.includes('sealingConfigShape')).toBe('SEALING_KEYS' in variables);
});

it('no two services have a secret in common', () => {
  const keys = Object.values(own).flatMap((variables) => Object.values(variables));
  expect(new Set(keys).size).toBe(keys.length);
});

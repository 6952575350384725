import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  PACKAGES_FILE,
  programFile,
  readAllowedPackages,
} from '@fairlead/connector-model/packages/allowed-package';
import type { AllowedPackage, AllowedPackages } from '@fairlead/connector-model/packages/allowed-package';
import { onTestFinished } from 'vitest';

/** A piece as its registry has it, with these actions (JavaScript: the members of an object, each a function of the context). */
export function pieceProgram(actions: string, members = ''): string {
  return `
    'use strict';
    const runs = {${actions}};
    const actions = Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, {
      name, displayName: name, description: 'Runs ' + name, props: {}, audience: 'both', run,
    }]));
    exports.acme = {
      displayName: 'Acme', description: 'A vendor of tests.', auth: undefined,
      actions: () => actions, triggers: () => ({}), getContextInfo: () => ({ version: '2' }),
      ${members}
    };`;
}

/** A folder in which these programs are allowed, as `acme-<name>` of version 1.0.0; it is removed after the test. */
export async function testPackages(
  programs: Readonly<Record<string, string>>,
  members: Partial<AllowedPackage> = {},
): Promise<AllowedPackages> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-packages-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const packages: AllowedPackage[] = [];
  for (const [name, text] of Object.entries(programs)) {
    const allowed: AllowedPackage = {
      package: `acme-${name}`,
      version: '1.0.0',
      integrity: `sha256-${Buffer.from(name).toString('base64')}`,
      file: 'src/index.js',
      kind: 'piece',
      ...members,
    };
    packages.push(allowed);
    await writeFile(join(directory, programFile(allowed)), text);
  }
  await writeFile(join(directory, PACKAGES_FILE), JSON.stringify({ packages }));
  return readAllowedPackages(directory);
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { currentVersions, withVersion } from './versions.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

it('all packages have one version', () => {
  const versions = currentVersions(ROOT);
  expect(versions.size).toBeGreaterThan(20);
  expect(versions.has('clients/python/pyproject.toml')).toBe(true);
  expect([...new Set(versions.values())]).toHaveLength(1);
});

it('another version reaches every manifest, the lock file and the dependencies among our packages', () => {
  const files = withVersion(ROOT, '99.8.7');
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([...currentVersions(ROOT).keys(), 'package-lock.json']),
  );
  for (const [file, text] of files) {
    expect(text, file).toContain('99.8.7');
    expect(text.match(/"@fairlead[^"]*": "(?!99\.8\.7")[^"]+"/g), file).toBeNull();
  }
});

it('the version that the files have changes nothing', () => {
  const [version = ''] = currentVersions(ROOT).values();
  for (const [file, text] of withVersion(ROOT, version))
    expect(text, file).toBe(readFileSync(`${ROOT}${file}`, 'utf8'));
});

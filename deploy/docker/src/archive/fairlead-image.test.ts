import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { IMAGE_CONFIG } from './fairlead-image.ts';

it('the image made without a container engine is configured as the Dockerfile says', () => {
  const text = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  const last = text.slice(text.lastIndexOf('\nFROM ')).replaceAll(/\s*\\\n\s*/g, ' ');
  const value = (instruction: string): string =>
    new RegExp(`^${instruction} (.*)$`, 'm').exec(last)?.[1] ?? '';
  expect(value('ENV').split(' ')).toEqual(IMAGE_CONFIG.Env);
  expect(value('USER')).toBe(IMAGE_CONFIG.User);
  expect(value('WORKDIR')).toBe(IMAGE_CONFIG.WorkingDir);
  expect(JSON.parse(value('ENTRYPOINT'))).toEqual(IMAGE_CONFIG.Entrypoint);
  expect(JSON.parse(value('CMD'))).toEqual(IMAGE_CONFIG.Cmd);
  // The base has no shell.
  expect(last).not.toContain('\nRUN');
});

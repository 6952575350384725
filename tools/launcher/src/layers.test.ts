import { expect, test } from 'vitest';
import { createLayers } from './layers.ts';

test('the last layer stops first, whatever the order of arrival; after a failure the rest still stops', async () => {
  const stopped: string[] = [];
  const lines: string[] = [];
  const layers = createLayers((line) => lines.push(line));
  const add = (layer: Parameters<typeof layers.add>[0], name: string, fails = false): void => {
    layers.add(layer, {
      name,
      stop: () => {
        stopped.push(name);
        return fails ? Promise.reject(new Error('stuck')) : Promise.resolve();
      },
    });
  };
  add('gateway', 'gateway');
  add('stores', 'mongod');
  add('tools', 'tools', true);
  add('samples', 'crm');
  await layers.stop();
  expect(stopped).toEqual(['gateway', 'tools', 'crm', 'mongod']);
  expect(lines).toEqual(['Stopping tools failed: Error: stuck']);
  await layers.stop();
  expect(stopped).toHaveLength(4);
});

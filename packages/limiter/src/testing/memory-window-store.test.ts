import { describe } from 'vitest';
import { memoryWindowStore } from './memory-window-store.ts';
import { windowStoreSuite } from './window-store-suite.ts';

describe('windows in memory', () => {
  windowStoreSuite(memoryWindowStore);
});

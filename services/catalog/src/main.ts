import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { catalogConfig } from './config.ts';

await runUntilSignal('catalog', () => buildApp(loadConfig(catalogConfig, process.env)));

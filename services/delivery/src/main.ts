import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { deliveryConfig } from './config.ts';

await runUntilSignal('delivery', () => buildApp(loadConfig(deliveryConfig, process.env)));

import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { interoperabilitySuite } from '@fairlead/service-kit/testing/interoperability-suite';
import { afterAll, beforeAll, inject } from 'vitest';
import { createInstallation } from './testing/catalog.ts';
import type { Installation, Replica } from './testing/catalog.ts';

let installation: Installation;
let replica: Replica;

beforeAll(async () => {
  installation = await createInstallation(inject('mongodbUri'), inject('natsUrl'));
  replica = await installation.start([]);
});
afterAll(() => installation.remove());

interoperabilitySuite({
  name: 'catalog',
  server: () => replica,
  services: [ApplicationService, ToolService],
  answered: { method: ApplicationService.method.listApplications, request: {} },
  refused: {
    method: ApplicationService.method.getApplication,
    request: { slug: 'nobody-knows-it' },
    code: 'NOT_FOUND',
  },
});

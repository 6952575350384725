import { readCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { serveThread } from '@fairlead/service-kit/threads/serve-thread';

// readCatalogue sends the path.
serveThread(async (path) => ({ answer: await readCatalogueFile(path as string), handedOver: [] }));

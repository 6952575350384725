import { storage } from '@googleapis/storage';

const at = (url) => storage({ version: 'v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://storage.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  {
    tool: 'google-cloud-storage-list-buckets',
    input: { project: 'acme', prefix: 'a' },
    top: 50,
    sdk: (url) => at(url).buckets.list({ project: 'acme', prefix: 'a', maxResults: 50 }),
  },
  {
    tool: 'google-cloud-storage-get-bucket',
    input: { bucket: 'photos' },
    sdk: (url) => at(url).buckets.get({ bucket: 'photos' }),
  },
  {
    tool: 'google-cloud-storage-update-bucket',
    input: { bucket: 'photos', versioning: true },
    sdk: (url) => at(url).buckets.patch({ bucket: 'photos', requestBody: { versioning: { enabled: true } } }),
  },
  {
    tool: 'google-cloud-storage-list-objects',
    input: { bucket: 'photos', prefix: 'may/', delimiter: '/' },
    top: 50,
    sdk: (url) => at(url).objects.list({ bucket: 'photos', prefix: 'may/', delimiter: '/', maxResults: 50 }),
  },
  {
    tool: 'google-cloud-storage-get-object',
    input: { bucket: 'photos', object: 'may/1.jpg' },
    sdk: (url) => at(url).objects.get({ bucket: 'photos', object: 'may/1.jpg' }),
  },
  {
    tool: 'google-cloud-storage-copy-object',
    input: { sourceBucket: 'photos', sourceObject: '1.jpg', bucket: 'old', object: '2.jpg' },
    sdk: (url) =>
      at(url).objects.rewrite({
        sourceBucket: 'photos',
        sourceObject: '1.jpg',
        destinationBucket: 'old',
        destinationObject: '2.jpg',
      }),
  },
  {
    tool: 'google-cloud-storage-delete-object',
    input: { bucket: 'photos', object: 'may/1.jpg' },
    sdk: (url) => at(url).objects.delete({ bucket: 'photos', object: 'may/1.jpg' }),
  },
  {
    tool: 'google-cloud-storage-get-bucket-policy',
    input: { bucket: 'photos' },
    sdk: (url) => at(url).buckets.getIamPolicy({ bucket: 'photos' }),
  },
];

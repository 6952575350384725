import { slides } from '@googleapis/slides';

const at = (url) => slides({ version: 'v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://slides.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-slides-get-presentation',
    input: { presentationId: 'p1' },
    sdk: (url) => at(url).presentations.get({ presentationId: 'p1' }),
  },
  {
    tool: 'google-slides-get-slide',
    input: { presentationId: 'p1', pageObjectId: 'g1' },
    sdk: (url) => at(url).presentations.pages.get({ presentationId: 'p1', pageObjectId: 'g1' }),
  },
  {
    tool: 'google-slides-get-slide-picture',
    input: { presentationId: 'p1', pageObjectId: 'g1', size: 'LARGE' },
    sdk: (url) =>
      at(url).presentations.pages.getThumbnail({
        presentationId: 'p1',
        pageObjectId: 'g1',
        'thumbnailProperties.thumbnailSize': 'LARGE',
      }),
  },
  {
    tool: 'google-slides-create-presentation',
    input: { title: 'Plan' },
    sdk: (url) => at(url).presentations.create({ requestBody: { title: 'Plan' } }),
  },
  {
    tool: 'google-slides-update-presentation',
    input: { presentationId: 'p1', requests: [{ createSlide: {} }] },
    sdk: (url) =>
      at(url).presentations.batchUpdate({
        presentationId: 'p1',
        requestBody: { requests: [{ createSlide: {} }] },
      }),
  },
];

import { pages } from './pages';

export const help = {
  title: pages.help,
  contents: 'Contents',
};

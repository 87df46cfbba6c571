export const help = {
  title: 'Help',
  contents: 'Contents',
};

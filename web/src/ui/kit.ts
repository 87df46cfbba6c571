// biome-ignore-all lint/performance/noBarrelFile: the one door to the kit, so that only this folder depends on it
/** What screens take from the UI kit as it is. */
export {
  ActionIcon,
  Avatar,
  Button,
  Checkbox,
  Group,
  Popover,
  Radio,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
export { useForm } from '@mantine/form';
export { useDebouncedCallback } from '@mantine/hooks';
export { Select } from './Select';

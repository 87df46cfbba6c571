// biome-ignore-all lint/performance/noBarrelFile: the only module that imports these from the kit, so that features do not depend on it
/** Components of the UI kit that features use unchanged. */
export {
  ActionIcon,
  Autocomplete,
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
  Textarea,
  TextInput,
  type TextInputProps,
  Title,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
export { type UseFormReturnType, useForm } from '@mantine/form';
export { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
export { Select } from './fields/Select';

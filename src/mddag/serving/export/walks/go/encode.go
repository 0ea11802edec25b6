//: if named

var places, codes = func() (map[string]int, map[int]map[any]float32) {
	places, codes := map[string]int{}, map[int]map[any]float32{}
	for i, name := range FeatureNames {
		places[name] = i
	}
	for i, values := range Categories {
		codes[i] = map[any]float32{}
		for code, value := range values {
			codes[i][value] = float32(code)
		}
	}
	return places, codes
}()

// Encode is the row of a map by feature name: float64 or other numbers, bools, the values of
// categories, nil for missing.
func Encode(named map[string]any) ([]Value, error) {
	for name := range named {
		if _, known := places[name]; !known {
			return nil, fmt.Errorf("%q is no feature of the model", name)
		}
	}
	row := make([]Value, NFeatures)
	for i, name := range FeatureNames {
		value, given := named[name]
		if !given {
			return nil, fmt.Errorf("the row has no %q", name)
		}
		number, err := encoded(name, i, plain(value))
		if err != nil {
			return nil, err
		}
//: if not missing
		if number != number {
			return nil, fmt.Errorf("%q is missing, which the model does not know", name)
		}
//: end
		row[i] = number
	}
	return row, nil
}

// encoded is the number that trees read in the place of a value.
func encoded(name string, i int, value any) (Value, error) {
	missing := Value(math.NaN())
	number, isNumber := value.(float64)
	if value == nil || isNumber && number != number {
		return missing, nil
	}
	values, nominal := codes[i]
	if !nominal {
		if !isNumber {
			return missing, fmt.Errorf("%q is a %T, wanted a number", name, value)
		}
		return Value(number), nil
	}
	code, known := values[value]
	if known {
		return code, nil
	}
	for other := range values {
		if fmt.Sprintf("%T", other) == fmt.Sprintf("%T", value) {
//: if refuses
			return missing, fmt.Errorf("%q is %v, not there in training", name, value)
//: else
			return missing, nil
//: end
		}
	}
	if len(values) == 0 {
		return missing, nil
	}
	return missing, fmt.Errorf("%q is a %T, wanted a value of its categories", name, value)
}

// plain is a value as float64 where it is a number or a bool.
func plain(value any) any {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1.0
		}
		return 0.0
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return float64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return float64(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float()
	}
	return value
}
//: end

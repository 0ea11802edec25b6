//: if named

/// The row of a map by feature name.
pub fn encode(named: &HashMap<&str, Category>) -> Result<[Value; N_FEATURES], String> {
    let mut row = [0.0; N_FEATURES];
    for (i, name) in FEATURE_NAMES.iter().enumerate() {
        let value = named.get(name).ok_or_else(|| format!("the row has no {name:?}"))?;
        row[i] = encoded(i, value).map_err(|fault| format!("{name:?} is {value:?}, {fault}"))?;
//: if not missing
        if row[i].is_nan() {
            return Err(format!("{name:?} is missing, which the model does not know"));
        }
//: end
    }
    if named.len() > N_FEATURES {
        let other = named.keys().find(|name| !FEATURE_NAMES.contains(name));
        return Err(format!("{:?} is no feature of the model", other.unwrap()));
    }
    Ok(row)
}

/// The number that trees read in the place of a value.
fn encoded(i: usize, value: &Category) -> Result<Value, String> {
    let values = CATEGORIES.iter().find(|(column, _)| *column == i).map(|(_, values)| values);
    match (value, values) {
        (Category::Missing, _) => Ok(Value::NAN),
        (Category::Number(number), _) if number.is_nan() => Ok(Value::NAN),
        (Category::Number(number), None) => Ok(*number as Value),
        (Category::Text(_), None) => Err("wanted a number".to_string()),
        (_, Some(values)) => match values.iter().rposition(|other| other == value) {
            Some(code) => Ok(code as Value),
            None if values.is_empty() => Ok(Value::NAN),
            None if values.iter().any(|v| std::mem::discriminant(v) == std::mem::discriminant(value)) => {
//: if refuses
                Err("not there in training".to_string())
//: else
                Ok(Value::NAN)
//: end
            }
            None => Err(format!("wanted a value such as {:?}", values[0])),
        },
    }
}
//: end
